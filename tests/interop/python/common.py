"""What the drivers of both SDKs share: how they talk to the tests, and one code for both kinds of client."""

import asyncio
import contextlib
import inspect
import json
import sys
import time

import anyio

waits = []


def recorded(sleep):
    def wait(seconds):
        waits.append(seconds)
        return sleep(seconds)

    return wait


# what the SDK sleeps for before it tries again; it still sleeps
time.sleep = recorded(time.sleep)
anyio.sleep = recorded(anyio.sleep)


def say(value):
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


async def told(note):
    """Says how far it is, and waits until it is told to go on."""
    say({"note": note})
    await asyncio.to_thread(sys.stdin.readline)


# One code for both clients: what the asynchronous one wants to be awaited, the other gives at once.


async def given(value):
    return await value if inspect.isawaitable(value) else value


@contextlib.asynccontextmanager
async def entered(manager):
    if hasattr(manager, "__aenter__"):
        async with manager as inner:
            yield inner
    else:
        with manager as inner:
            yield inner


async def each(iterable):
    if hasattr(iterable, "__aiter__"):
        async for item in iterable:
            yield item
    else:
        for item in iterable:
            yield item


def plain(model):
    return model.to_dict(mode="json")
