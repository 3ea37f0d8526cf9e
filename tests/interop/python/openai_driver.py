"""Makes calls through the OpenAI SDK and prints what it observed.

One JSON object a line on stdin is a call, one JSON object a line on stdout is what came of it. A call
that has to be left in the middle prints a note first and waits for a line before it leaves. Nothing is
judged here: the tests compare.
"""

import asyncio
import json
import operator
import sys
import traceback

import openai
import openai_responses
import pydantic
from common import each, entered, given, plain, say, told, waits


def failure(error):
    def text(name):
        value = getattr(error, name, None)
        return value if value is None or isinstance(value, (str, int)) else repr(value)

    return {
        "class": type(error).__name__,
        "message": str(error),
        "status": text("status_code"),
        "type": text("type"),
        "code": text("code"),
        "param": text("param"),
        "request_id": text("request_id"),
        "cause": type(error.__cause__).__name__ if error.__cause__ else None,
    }


# --- the calls: each fills `seen` as far as it comes ---


async def create(completions, call, seen):
    raw = await given(completions.with_raw_response.create(**call["params"]))
    completion = await given(raw.parse())
    seen["headers"] = dict(raw.headers)
    seen["request_id"] = completion._request_id
    seen["completion"] = plain(completion)


async def raw(completions, call, seen):
    seen["chunks"] = []
    stream = await given(completions.create(**call["params"], stream=True))
    seen["headers"] = dict(stream.response.headers)
    async for chunk in each(stream):
        seen["chunks"].append(plain(chunk))
        if chunk.choices and chunk.choices[0].delta.content:
            await maybe_leave(call, seen)
            if call.get("leave") == "break":
                await given(stream.close())
                break


async def maybe_leave(call, seen):
    """At the first delta of a call that is left there."""
    if seen.get("left") or "leave" not in call:
        return
    seen["left"] = True
    if call["leave"] == "cancel":
        call["first delta"].set()
    else:
        await told("first delta")


async def helper(completions, call, seen):
    seen["texts"] = []
    async with entered(completions.stream(**call["params"])) as stream:
        async for event in each(stream):
            if event.type == "content.delta":
                seen["texts"].append(event.delta)
        seen["completion"] = plain(await given(stream.get_final_completion()))


class Best(pydantic.BaseModel):
    best: int


async def parse(completions, call, seen):
    completion = await given(completions.parse(**call["params"], response_format=Best))
    message = completion.choices[0].message
    seen["parsed"] = message.parsed and message.parsed.model_dump()
    seen["refusal"] = message.refusal


async def tool_loop(completions, call, seen):
    """The loop as the SDK's users write it."""
    params = call["params"]
    history = list(params["messages"])
    while True:
        answer = await given(completions.create(**{**params, "messages": history}))
        message = answer.choices[0].message
        seen["completion"] = plain(answer)
        if answer.choices[0].finish_reason != "tool_calls":
            return
        history.append(message)
        for made in message.tool_calls:
            city = json.loads(made.function.arguments)["city"]
            history.append({"role": "tool", "tool_call_id": made.id, "content": f"sunny in {city}"})


async def resource(client, call, seen):
    """A method of a resource by its path, such as `models.list`, and every item of what it streams."""
    method = operator.attrgetter(call["method"])(client)
    answer = await given(method(*call["ids"], **call["params"]))
    if call["params"].get("stream"):
        seen["chunks"] = [plain(chunk) async for chunk in each(answer)]
    else:
        seen["answer"] = plain(answer)


CALLS = {"create": create, "raw": raw, "helper": helper, "parse": parse, "loop": tool_loop}


def client_of(call):
    options = {"api_key": call["client"]["key"], "base_url": call["url"], "max_retries": call["max_retries"]}
    # the SDK's own HTTP client, without the certificates, whose loading would take most of a call
    if call["async"]:
        return openai.AsyncOpenAI(http_client=openai.DefaultAsyncHttpxClient(verify=False), **options)
    return openai.OpenAI(http_client=openai.DefaultHttpxClient(verify=False), **options)


async def runs_of(call):
    """The call as often as it is asked for, all with one client."""
    async with entered(client_of(call)) as client:
        return [await observed(lambda seen: run(client, call, seen)) for _ in range(call["times"])]


async def observed(doing):
    seen = {}
    waits.clear()
    try:
        await doing(seen)
    except (Exception, asyncio.CancelledError) as error:
        seen["error"] = failure(error)
    seen["waits"] = list(waits)
    return seen


async def run(client, call, seen):
    if call["api"] == "any":
        coroutine = resource(client, call, seen)
    elif call["api"] == "responses":
        coroutine = openai_responses.CALLS[call["do"]](client.responses, call, seen)
    else:
        coroutine = CALLS[call["do"]](client.chat.completions, call, seen)
    if call.get("leave") != "cancel":
        return await coroutine
    # cancels the task of the call once its first delta was read
    call["first delta"] = asyncio.Event()
    task = asyncio.create_task(coroutine)
    first_delta = asyncio.create_task(call["first delta"].wait())
    await asyncio.wait([task, first_delta], return_when=asyncio.FIRST_COMPLETED)
    await told("first delta")
    task.cancel()
    await task


def main():
    say({"sdk": openai.__version__})
    for line in iter(sys.stdin.readline, ""):
        call = json.loads(line)
        try:
            say({"runs": asyncio.run(runs_of(call))})
        except BaseException:
            say({"broken": traceback.format_exc()})


main()
