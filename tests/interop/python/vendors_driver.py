"""Makes calls of Chat through the SDKs of the vendors and prints what came of them.

One JSON object a line on stdin is a call, one JSON object a line on stdout is what came of it. Nothing is judged here: the
tests compare.
"""

import json
import sys
import traceback
from importlib.metadata import version

import groq
from common import say
from mistralai.client import Mistral


def part(seen, message, whole):
    """Adds what a message or a delta says."""
    content = message.content
    if isinstance(content, str):
        seen["text"] += content
    elif content:
        for chunk in content:
            if chunk.type == "text":
                seen["text"] += chunk.text
            else:
                seen["thinking"] += "".join(item.text for item in chunk.thinking)
    seen["thinking"] += getattr(message, "reasoning", None) or ""
    for call in message.tool_calls or []:
        arguments = call.function.arguments
        seen["calls"].append([call.id, call.function.name, json.loads(arguments)])


def answer(seen, found, whole):
    """Adds what a chunk or a completion says."""
    usage = getattr(found, "usage", None)
    if usage:
        seen["tokens"] = usage.completion_tokens
    for choice in found.choices:
        part(seen, choice.message if whole else choice.delta, whole)
        seen["finish"] = choice.finish_reason or seen["finish"]


def ask_groq(call, seen):
    with groq.Groq(api_key="gsk_interop", base_url=call["url"], max_retries=0) as client:
        if call["do"] == "create":
            return answer(seen, client.chat.completions.create(**call["params"]), True)
        for chunk in client.chat.completions.create(**call["params"], stream=True):
            answer(seen, chunk, False)


def ask_mistral(call, seen):
    with Mistral(api_key="interop", server_url=call["url"]) as client:
        if call["do"] == "create":
            return answer(seen, client.chat.complete(**call["params"]), True)
        with client.chat.stream(**call["params"]) as stream:
            for event in stream:
                answer(seen, event.data, False)


ASK = {"groq": ask_groq, "mistral": ask_mistral}


def run(call):
    seen = {"text": "", "thinking": "", "calls": [], "finish": None, "tokens": None}
    try:
        ASK[call["vendor"]](call, seen)
    except Exception as error:
        status = getattr(error, "status_code", None)
        seen["error"] = {"class": type(error).__name__, "message": str(error), "status": status}
    return seen


def main():
    say({"sdk": f"groq {groq.__version__}, mistralai {version('mistralai')}"})
    for line in iter(sys.stdin.readline, ""):
        call = json.loads(line)
        try:
            say({"runs": [run(call) for _ in range(call["times"])]})
        except BaseException:
            say({"broken": traceback.format_exc()})


main()
