# SPDX-License-Identifier: GPL-3.0-or-later
"""The second arm: a model writes plain ``bpy``, as most tools let it. Its scripts run in the assistant's sealed trial
only; the file that they leave is opened here, without its scripts, and scored like every other result.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

import bpy
import plain_process
from geonode_assistant import api, native
from geonode_assistant.run.dry_run import start

SECONDS, MEGABYTES = 60, 4096
REFUSED = "REFUSED"
FENCE = re.compile(r"```(?:python|py)?[ \t]*\n(.*?)```", re.DOTALL)
SYSTEM = (
    "You write Python for Blender {}.{} (module bpy). You are told what is in the open scene and what the artist "
    "wants. Answer with one script in a ```python block and nothing else. It runs once, in background mode, in the "
    "open scene. "
    "Work with Geometry Nodes. Leave everything as it is that the request does not speak of. "
    f"If the request cannot be carried out, answer only {REFUSED} and the reason."
)
MOST_TOKENS = 4096
"""Of an answer: a weak model may never end."""
SLICES = ("scene_summary", "modifier_stack", "geometry_stats")


class Server:
    """A server with the interface of OpenAI's chat completions."""

    def __init__(
        self,
        base_url: str,
        model: str | None,
        key: str | None = None,
        timeout: float = 300.0,
        seed: int | None = None,
        prices: tuple[float, float] | None = None,
    ) -> None:
        """``prices``: of a million tokens sent and of a million received."""
        self.url = base_url.rstrip("/") + "/chat/completions"
        self.fixed: dict[str, Any] = {"model": model, "temperature": 0, "max_tokens": MOST_TOKENS}
        if seed is not None:
            self.fixed["seed"] = seed
        self.headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
        self.timeout = timeout
        self.prices = prices
        self.input_tokens = self.output_tokens = 0

    def answer(self, messages: list[dict[str, str]]) -> str:
        """What the model says next. Raises OSError, or ValueError where the reply is none."""
        body = json.dumps({**self.fixed, "messages": messages}).encode()
        with urllib.request.urlopen(
            urllib.request.Request(self.url, body, self.headers), timeout=self.timeout
        ) as reply:
            found = json.load(reply)
        usage = found.get("usage") or {}
        self.input_tokens += usage.get("prompt_tokens") or 0
        self.output_tokens += usage.get("completion_tokens") or 0
        try:
            return str(found["choices"][0]["message"]["content"] or "")
        except (LookupError, TypeError) as error:
            raise ValueError("the reply has no message") from error

    def cost(self, since: tuple[int, int]) -> float | None:
        """What was paid since the counts of tokens were these; None where the prices are not known."""
        if self.prices is None:
            return None
        used = self.input_tokens - since[0], self.output_tokens - since[1]
        return sum(tokens * price for tokens, price in zip(used, self.prices, strict=True)) / 1e6


def script_of(answer: str) -> str | None:
    """The script in an answer; None where it refuses. What stands in no block is taken as it is."""
    blocks = FENCE.findall(answer)
    if not blocks and answer.strip().startswith(REFUSED):
        return None
    return "\n".join(blocks) if blocks else answer


def tried(code: str) -> tuple[dict[str, Any], bytes | None]:
    """Executes the script in the sealed process, on a copy of the open file; returns the result and what it left."""
    missing = native.core().sandbox_missing()
    if missing is not None:
        raise SystemExit(f"scripts of models run inside the sandbox only: {missing}")
    program = plain_process.__file__
    trial = start.begin({"code": code}, SECONDS, MEGABYTES, [*start.readable(), program], program)
    try:
        while (result := trial.poll()) is None:
            time.sleep(0.02)
        return result, trial.made(plain_process.RESULT) if result["ok"] else None
    finally:
        trial.stop(wait=True)


def opened(blend: bytes) -> None:
    """Opens the file that a script left, without running what is in it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / plain_process.RESULT
        path.write_bytes(blend)
        bpy.ops.wm.open_mainfile(filepath=str(path), load_ui=False, use_scripts=False)


def solve(task: dict[str, Any], server: Server, retries: int) -> dict[str, Any]:
    """Asks for a script and tries it; errors go back. The open file is what came of it afterwards.

    ``done``: a script ran to its end; ``codes``: why none did; ``attempts``: how often the model was asked;
    ``answered``: it said something at least once.
    """
    scene = api.context(task["object"], slices=SLICES)
    wish = f"The scene:\n{json.dumps(scene, ensure_ascii=False)}\n\nThe artist wants: {task['prompt']}"
    messages = [
        {"role": "system", "content": SYSTEM.format(*bpy.app.version[:2])},
        {"role": "user", "content": wish},
    ]
    for attempt in range(1, retries + 2):
        try:
            answer = server.answer(messages)
        except (OSError, ValueError) as error:
            codes = [f"no answer: {error}"[:200]]
            return {"done": False, "codes": codes, "attempts": attempt, "answered": attempt > 1}
        code = script_of(answer)
        if code is None:
            return {"done": False, "codes": ["refused"], "attempts": attempt, "answered": True}
        result, left = tried(code)
        if left is not None:
            opened(left)
            return {"done": True, "codes": [], "attempts": attempt, "answered": True}
        again = f"The script failed; nothing was changed. {result['text']}\nAnswer with the whole corrected script."
        messages += [{"role": "assistant", "content": answer}, {"role": "user", "content": again}]
    return {"done": False, "codes": [result["code"]], "attempts": attempt, "answered": True}


def server_of(options: Any) -> Server:
    """The server that the driver's options name."""
    if not options.base_url:
        raise SystemExit("this arm needs --base-url")
    key = os.environ.get(options.key_variable) if options.key_variable else None
    settings = json.loads(options.settings)
    prices = (settings["input_price"], settings["output_price"]) if "input_price" in settings else None
    if options.max_cost is not None and prices is None:
        raise SystemExit('--max-cost needs the prices: --settings \'{"input_price": 1, "output_price": 5}\'')
    return Server(options.base_url, options.model, key, options.timeout, options.seed, prices)
