"""The calls of the OpenAI SDK on Responses: each fills `seen` as far as it comes."""

import json

import pydantic
from common import each, entered, given, plain, told


async def create(responses, call, seen):
    raw = await given(responses.with_raw_response.create(**call["params"]))
    response = await given(raw.parse())
    seen["headers"] = dict(raw.headers)
    seen["request_id"] = response._request_id
    seen["response"] = plain(response)
    seen["text"] = response.output_text


async def raw(responses, call, seen):
    seen["events"] = []
    stream = await given(responses.create(**call["params"], stream=True))
    async for event in each(stream):
        seen["events"].append(plain(event))
        if event.type == "response.output_text.delta" and await left(call, seen):
            await given(stream.close())
            break


async def left(call, seen):
    """Leaves the call at its first delta, if it is one to be left; says whether it breaks off here."""
    if seen.get("left") or "leave" not in call:
        return False
    seen["left"] = True
    if call["leave"] == "cancel":
        call["first delta"].set()
    else:
        await told("first delta")
    return call["leave"] == "break"


async def helper(responses, call, seen):
    seen["types"] = []
    async with entered(responses.stream(**call["params"])) as stream:
        async for event in each(stream):
            seen["types"].append(event.type)
        response = await given(stream.get_final_response())
        seen["response"] = plain(response)
        seen["text"] = response.output_text


class Best(pydantic.BaseModel):
    best: int


async def parse(responses, call, seen):
    response = await given(responses.parse(**call["params"], text_format=Best))
    seen["parsed"] = response.output_parsed and response.output_parsed.model_dump()


def outputs(response):
    """What the client's tools answer to the calls of a response."""
    for item in response.output:
        if item.type == "function_call":
            city = json.loads(item.arguments)["city"]
            yield {"type": "function_call_output", "call_id": item.call_id, "output": f"sunny in {city}"}


async def loop(responses, call, seen):
    """The loop as the SDK's users write it: all items go back."""
    history = [{"role": "user", "content": call["params"]["input"]}]
    while True:
        response = await given(responses.create(**{**call["params"], "input": history}))
        seen["text"] = response.output_text
        answers = list(outputs(response))
        if not answers:
            return
        history += response.output
        history += answers


async def chain(responses, call, seen):
    """The loop that goes on from the response before."""
    params = dict(call["params"])
    while True:
        response = await given(responses.create(**params))
        seen["text"] = response.output_text
        seen.setdefault("ids", []).append(response.id)
        answers = list(outputs(response))
        if not answers:
            return
        params = {**params, "input": answers, "previous_response_id": response.id}


async def kept(responses, call, seen):
    """A response, looked at again in every way, and then deleted."""
    made = await given(responses.create(**call["params"]))
    seen["response"] = plain(made)
    seen["again"] = plain(await given(responses.retrieve(made.id)))
    listed = await given(responses.input_items.list(made.id, limit=1, order="asc"))
    seen["items"] = [plain(item) async for item in each(listed)]
    seen["deleted"] = await given(responses.delete(made.id))
    await given(responses.retrieve(made.id))


CALLS = {
    "create": create,
    "raw": raw,
    "helper": helper,
    "parse": parse,
    "loop": loop,
    "chain": chain,
    "kept": kept,
}
