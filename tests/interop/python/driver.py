"""Makes calls through the Anthropic SDK and prints what it observed.

One JSON object a line on stdin is a call, one JSON object a line on stdout is what came of it. A call
that has to be left in the middle prints a note first and waits for a line before it leaves. Nothing is
judged here: the tests compare.
"""

import asyncio
import itertools
import json
import sys
import traceback

import anthropic
import httpx2
import pydantic
from anthropic import beta_async_tool, beta_tool
from common import each, entered, given, plain, say, told, waits


def classes(value):
    """The SDK's classes in a value, those of members in brackets, in the order of their names."""
    if isinstance(value, list):
        return ", ".join(sorted(filter(None, map(classes, value))))
    if not isinstance(value, pydantic.BaseModel):
        return ""
    members = value.__dict__.values()
    inside = classes([item for member in members for item in (member if isinstance(member, list) else [member])])
    return type(value).__name__ + (f"({inside})" if inside else "")


def misfits(model):
    """The members that do not fit the SDK's types, which it does not check itself."""
    try:
        type(model).model_validate_json(json.dumps(plain(model)), strict=True)
    except pydantic.ValidationError as error:
        return sorted({member(found["loc"]) for found in error.errors()})
    return []


def member(place):
    """The path of a member, without what is inside one that may have several types."""
    names = itertools.takewhile(lambda name: isinstance(name, int) or name.islower(), place)
    return ".".join(map(str, names))


def failure(error):
    def text(name):
        value = getattr(error, name, None)
        return value if value is None or isinstance(value, (str, int)) else repr(value)

    return {
        "class": type(error).__name__,
        "message": str(error),
        "status": text("status_code"),
        "type": text("type"),
        "api_message": text("api_message"),
        "request_id": text("request_id"),
        "cause": type(error.__cause__).__name__ if error.__cause__ else None,
    }


# --- the calls: each fills `seen` as far as it comes ---


async def create(messages, call, seen):
    raw = await given(messages.with_raw_response.create(**call["params"]))
    message = await given(raw.parse())
    seen["headers"] = dict(raw.headers)
    seen["request_id"] = message._request_id
    seen["message"] = plain(message)
    if call.get("types"):
        seen["classes"] = [classes(block) for block in message.content]
        seen["misfits"] = misfits(message)


async def helper(messages, call, seen):
    seen.update(events=[], texts=[], inputs=[], thoughts=[], signatures=[], citations=[])
    async with entered(messages.stream(**call["params"])) as stream:
        seen["request_id"] = stream.request_id
        async for event in each(stream):
            seen["events"].append(event.type)
            if event.type == "text":
                seen["texts"].append(event.text)
                await maybe_leave(call, seen)
                if call.get("leave") == "break":
                    break
            elif event.type == "input_json":
                seen["inputs"].append(event.partial_json)
            elif event.type == "thinking":
                seen["thoughts"].append(event.thinking)
            elif event.type == "signature":
                seen["signatures"].append(event.signature)
            elif event.type == "citation":
                seen["citations"].append(plain(event.citation))
        if call.get("leave") != "break":
            seen["message"] = plain(await given(stream.get_final_message()))


async def raw(messages, call, seen):
    seen["events"] = []
    stream = await given(messages.create(**call["params"], stream=True))
    seen["headers"] = dict(stream.response.headers)
    async for event in each(stream):
        seen["events"].append(plain(event))
        if call.get("types"):
            found = [f"{event.type}: {name}" for name in misfits(event)]
            seen["misfits"] = seen.get("misfits", []) + found
        if event.type == "content_block_delta":
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


async def tool_loop(messages, call, seen):
    """The loop as the SDK's users write it."""
    seen["texts"] = []
    params = call["params"]
    history = list(params["messages"])
    while True:
        answer = await answered(messages, {**params, "messages": history}, call["stream"])
        seen["texts"] += [block.text for block in answer.content if block.type == "text"]
        seen["message"] = plain(answer)
        if answer.stop_reason not in ("tool_use", "pause_turn"):
            return
        history.append({"role": "assistant", "content": answer.content})
        calls = [block for block in answer.content if block.type == "tool_use"]
        if calls:
            history.append({"role": "user", "content": [tool_result(block) for block in calls]})


async def answered(messages, params, stream):
    if not stream:
        return await given(messages.create(**params))
    async with entered(messages.stream(**params)) as answer:
        return await given(answer.get_final_message())


def tool_result(block):
    result = {"type": "tool_result", "tool_use_id": block.id}
    try:
        return {**result, "content": weather(block.input["city"])}
    except LookupError as error:
        return {**result, "content": str(error), "is_error": True}


def weather(city):
    if city == "Atlantis":
        raise LookupError("no such city")
    return f"sunny in {city}"


async def tool_runner(messages, call, seen):
    """The loop that the SDK runs."""

    def run(city: str) -> str:
        return weather(city)

    async def run_async(city: str) -> str:
        return weather(city)

    about = {"name": "weather", "description": "The weather in a city."}
    if call["async"]:
        tools = [beta_async_tool(run_async, **about)]
    else:
        tools = [beta_tool(run, **about)]
    params = {**call["params"], "tools": tools}
    runner = messages.tool_runner(**params, stream=call["stream"])
    seen["texts"] = []
    last = None
    async for item in each(runner):
        last = await given(item.get_final_message()) if call["stream"] else item
        seen["texts"] += [block.text for block in last.content if block.type == "text"]
    seen["message"] = plain(last)


async def post(client, call, seen):
    cast_to = anthropic.types.Message
    seen["message"] = plain(await given(client.post(call["path"], cast_to=cast_to, body=call["params"])))


async def resource(client, call, seen):
    """A method of a resource by its path, such as `models.list`; of a list or a file every item."""
    method = client
    for name in call["method"].split("."):
        method = getattr(method, name)
    value = await given(method(*call["ids"], **call["params"]))
    if call["each"]:
        seen["items"] = [plain(item) async for item in each(value)]
    else:
        seen["value"] = plain(value)


async def fetch(call, seen):
    """A request without the SDK, on the HTTP client that it uses."""
    body = call.get("body")
    content = None if body is None else json.dumps(body)
    with httpx2.Client(trust_env=False) as http:
        answer = http.request(call["method"], call["url"] + call["path"], headers=call["headers"], content=content)
    seen.update(status=answer.status_code, headers=dict(answer.headers), body=answer.text)


CALLS = {"create": create, "helper": helper, "raw": raw, "loop": tool_loop, "runner": tool_runner}


def client_of(call):
    names = {"key": "api_key", "token": "auth_token", "headers": "default_headers"}
    options = {names[name]: value for name, value in call["client"].items()}
    options |= {"base_url": call["url"], "max_retries": call["max_retries"]}
    # the SDK's own HTTP client, without the certificates, whose loading would take most of a call
    if call["async"]:
        return anthropic.AsyncAnthropic(http_client=anthropic.DefaultAsyncHttpxClient(verify=False), **options)
    return anthropic.Anthropic(http_client=anthropic.DefaultHttpxClient(verify=False), **options)


async def runs_of(call):
    """The call as often as it is asked for, all with one client."""
    if call["do"] == "fetch":
        return [await observed(lambda seen: fetch(call, seen))]
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
    if call["do"] == "post":
        return await post(client, call, seen)
    if call["do"] == "resource":
        return await resource(client, call, seen)
    messages = client.beta.messages if call["beta"] else client.messages
    if call.get("leave") == "cancel":
        call["first delta"] = asyncio.Event()
        return await cancelled(CALLS[call["do"]](messages, call, seen), call)
    await CALLS[call["do"]](messages, call, seen)


async def cancelled(coroutine, call):
    """Cancels the task of a call: before its answer began, or once its first delta was read."""
    task = asyncio.create_task(coroutine)
    if call["do"] == "create":
        await told("asked")
    else:
        first_delta = asyncio.create_task(call["first delta"].wait())
        await asyncio.wait([task, first_delta], return_when=asyncio.FIRST_COMPLETED)
        await told("first delta")
    task.cancel()
    await task


def main():
    say({"sdk": anthropic.__version__})
    for line in iter(sys.stdin.readline, ""):
        call = json.loads(line)
        try:
            say({"runs": asyncio.run(runs_of(call))})
        except BaseException:
            say({"broken": traceback.format_exc()})


main()
