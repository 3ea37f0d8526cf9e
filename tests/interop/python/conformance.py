"""Reads answers through the streaming helpers of the SDKs, many at once, and prints what it read.

One JSON object a line on stdin is a call, or drops one; one JSON object a line on stdout is what came of a call. Nothing
is judged here: the tests compare.
"""

import asyncio
import functools
import importlib
import json
import sys

from common import say


async def messages(client, params):
    async with client.messages.stream(**params) as stream:
        message = await stream.get_final_message()
    return {
        "text": joined(block.text for block in message.content if block.type == "text"),
        "thinking": joined(block.thinking for block in message.content if block.type == "thinking"),
        "tool_calls": [[block.id, block.name, block.input] for block in message.content if block.type == "tool_use"],
        "stop_reason": message.stop_reason,
        "usage": [message.usage.input_tokens, message.usage.output_tokens],
    }


async def chat(client, params):
    async with client.chat.completions.stream(**params) as stream:
        completion = await stream.get_final_completion()
    choice = completion.choices[0]
    calls = [(call.id, call.function.name, call.function.arguments) for call in choice.message.tool_calls or []]
    usage = completion.usage
    return {
        "text": choice.message.content or "",
        "tool_calls": [[id, name, arguments(sent)] for id, name, sent in calls],
        "stop_reason": choice.finish_reason,
        "usage": [usage.prompt_tokens, usage.completion_tokens] if usage else [0, 0],
    }


async def responses(client, params):
    async with client.responses.stream(**params) as stream:
        response = await stream.get_final_response()
    if response.status == "failed":
        raise RuntimeError(f"the response failed: {response.error}")
    calls = [item for item in response.output if item.type == "function_call"]
    summaries = [item.summary for item in response.output if item.type == "reasoning"]
    usage = response.usage
    return {
        "text": response.output_text,
        "thinking": joined(part.text for summary in summaries for part in summary),
        "tool_calls": [[call.call_id, call.name, arguments(call.arguments)] for call in calls],
        "stop_reason": response.status,
        "usage": [usage.input_tokens, usage.output_tokens] if usage else [0, 0],
    }


def joined(texts):
    return "".join(text or "" for text in texts)


def arguments(sent):
    """As a loop over tools reads them; a call without any has none."""
    return json.loads(sent or "{}")


READERS = {"messages": messages, "chat": chat, "responses": responses}


CLIENTS = {"anthropic": "AsyncAnthropic", "openai": "AsyncOpenAI"}


async def answer(make, call):
    client = make(base_url=call["url"], **call["client"])
    try:
        said = {"read": await READERS[call["api"]](client, call["params"])}
    except asyncio.CancelledError:
        said = {"dropped": True}
    except Exception as error:
        said = {"failed": f"{type(error).__name__}: {error}"}
    except BaseException as error:
        said = {"panicked": f"{type(error).__name__}: {error}"}
    say({"call": call["call"], **said})


async def main(name):
    sdk = importlib.import_module(name)
    # a client for each base URL on one HTTP client, the SDK's own without the certificates, whose loading takes long
    http = sdk.DefaultAsyncHttpxClient(verify=False)
    make = functools.partial(getattr(sdk, CLIENTS[name]), max_retries=0, http_client=http)
    say({"sdk": sdk.__version__})
    running = {}
    while line := await asyncio.to_thread(sys.stdin.readline):
        call = json.loads(line)
        if "drop" in call:
            if task := running.get(call["drop"]):
                task.cancel()
            continue
        number = call["call"]
        running[number] = asyncio.create_task(answer(make, call))
        running[number].add_done_callback(lambda _, number=number: running.pop(number))


asyncio.run(main(sys.argv[1]))
