# SPDX-License-Identifier: GPL-3.0-or-later
"""The core's client beside those of the vendors, for ``cargo xtask bench``.

It prints ``figure [name, value, unit, limit]`` lines. The argument is the address of a server on this machine that
answers Chat Completions and Messages. Clients are asked in turns, in this one process; what is compared is the median
of the calls of all rounds.
"""

import json
import statistics
import subprocess
import sys
import time

import anthropic
import geonode_core
import openai

ROUNDS, CALLS, STREAMS, IMPORTS = 5, 100, 50, 7
HELLO = [{"role": "user", "content": "hello"}]
TEXT = "Hello, I am the reply of a server on this machine."
KEY = "not-a-key"


def figure(name, value, unit, limit=None):
    print("figure", json.dumps([name, value, unit, limit]))


def main(address):
    whole, first = clients(address)
    spent = in_turns(whole, CALLS)
    for name, seconds in spent.items():
        figure(f"{name}, whole reply, p50", seconds * 1e3, "ms")
    for name in ("openai", "anthropic"):
        figure(f"core / {name}, whole reply", spent[f"core ({name})"] / spent[name], "times", 0.2)
    spent = in_turns(first, STREAMS)
    for name, seconds in spent.items():
        figure(f"{name}, first text, p50", seconds * 1e3, "ms")
    for name in ("openai", "anthropic"):
        figure(f"core / {name}, first text", spent[f"core ({name})"] / spent[name], "times", 0.2)
    figure("import geonode_core, p50", importing("geonode_core") * 1e3, "ms", 20)


def clients(address):
    """Functions that ask once: for the whole reply, and for the first text of a streamed one (giving its time)."""
    base = f"{address}/v1"
    chat = geonode_core.Client("openai-compatible", "m", base, KEY)
    messages = geonode_core.Client("anthropic", "m", base, KEY)
    vendor_chat = openai.OpenAI(base_url=base, api_key=KEY, max_retries=0)
    vendor_messages = anthropic.Anthropic(base_url=address, api_key=KEY, max_retries=0)

    def own(client):
        return lambda: client.send(HELLO).text

    def own_stream(client):
        def call():
            begin = time.perf_counter()
            found = None
            for event in client.stream(HELLO):
                if found is None and event["type"] == "text":
                    found = time.perf_counter() - begin
            return found

        return call

    def openai_call():
        return vendor_chat.chat.completions.create(model="m", messages=HELLO).choices[0].message.content

    def openai_stream():
        begin = time.perf_counter()
        found = None
        for chunk in vendor_chat.chat.completions.create(model="m", messages=HELLO, stream=True):
            if found is None and chunk.choices and chunk.choices[0].delta.content:
                found = time.perf_counter() - begin
        return found

    def anthropic_call():
        return vendor_messages.messages.create(model="m", max_tokens=100, messages=HELLO).content[0].text

    def anthropic_stream():
        begin = time.perf_counter()
        found = None
        for event in vendor_messages.messages.create(model="m", max_tokens=100, messages=HELLO, stream=True):
            if found is None and event.type == "content_block_delta":
                found = time.perf_counter() - begin
        return found

    whole = {
        "core (openai)": own(chat),
        "openai": openai_call,
        "core (anthropic)": own(messages),
        "anthropic": anthropic_call,
    }
    for name, call in whole.items():
        assert call() == TEXT, name
    first = {
        "core (openai)": own_stream(chat),
        "openai": openai_stream,
        "core (anthropic)": own_stream(messages),
        "anthropic": anthropic_stream,
    }
    return {name: timed(call) for name, call in whole.items()}, first


def timed(call):
    def measure():
        begin = time.perf_counter()
        call()
        return time.perf_counter() - begin

    return measure


def in_turns(calls, count):
    """The median seconds of each, measured round by round; the first round warms up."""
    spent = {name: [] for name in calls}
    for round_ in range(ROUNDS + 1):
        for name, call in calls.items():
            seconds = [call() for _ in range(count)]
            if round_:
                spent[name] += seconds
    return {name: statistics.median(seconds) for name, seconds in spent.items()}


def importing(module):
    code = f"import time; begin = time.perf_counter(); import {module}; print(time.perf_counter() - begin)"
    done = [subprocess.run([sys.executable, "-c", code], capture_output=True, check=True) for _ in range(IMPORTS)]
    return statistics.median(float(one.stdout) for one in done)


main(sys.argv[1])
