# SPDX-License-Identifier: GPL-3.0-or-later
"""Puts the assistant to the benchmark's tasks; ``cargo xtask e2e --benchmark`` runs this in Blender's Python.

``answers`` applies the reference plans, which must pass, and the wrong ones, which must not; ``offline`` asks the
built-in planner, ``endpoint`` a model, ``raw`` a model for plain ``bpy``. Writes one JSON file with all that was found.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import bpy  # noqa: E402
import plain_bpy  # noqa: E402
import score  # noqa: E402
import snapshot  # noqa: E402
from geonode_assistant import api  # noqa: E402

ANSWERS = HERE / "answers.json"
SETTINGS = {"allow_empty_result": True}


def plan(page: list[str]) -> dict[str, Any]:
    """A plan whose one step is a page of tree text."""
    step = {"id": "answer", "type": "NODE_TREE", "description": "Answer", "payload": {"text": "\n".join(page) + "\n"}}
    return {"version": "1.2", "steps": [step], "done": True, "final_message": "Done."}


def swapped(page: list[str], swaps: dict[str, str]) -> list[str]:
    """The page with parts of its text exchanged; each must be there."""
    text = "\n".join(page)
    for old, new in swaps.items():
        if old not in text:
            raise ValueError(f"{old!r} is not in the page")
        text = text.replace(old, new)
    return text.split("\n")


def said(report: Any) -> str:
    return "; ".join(f"{m['code']}: {m['text']}" for m in report.messages if m["severity"] != "info")[:600]


def undone(before: dict[str, Any]) -> list[str]:
    """What one undo does not bring back."""
    if not snapshot.differences(before["file"], snapshot.snapshot()):
        return []  # a run that changes nothing makes no undo step
    bpy.ops.ed.undo()
    return [f"after undo: {line}" for line in snapshot.differences(before["file"], snapshot.snapshot())[:3]]


def apply(task: dict[str, Any], page: list[str]) -> dict[str, Any]:
    """Prepares the scene, applies the page, and scores what came of it."""
    score.prepare(task)
    before = score.look(task)
    start = time.perf_counter()
    report = api.apply_plan(plan(page), object=task["object"], approve="all", settings=SETTINGS)
    seconds = time.perf_counter() - start
    if report.status != "done":
        left = [f"left behind: {line}" for line in snapshot.differences(before["file"], snapshot.snapshot())]
        return {"applied": False, "faults": [said(report), *left], "seconds": seconds}
    faults = score.faults(task, before)
    return {"applied": True, "faults": faults + undone(before), "seconds": seconds}


def answers_of(task: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    """The reference must pass, doing nothing and every wrong plan must be found wrong by the scorer."""
    problems: list[str] = []
    started = time.perf_counter()
    if "page" in answer:
        result = apply(task, answer["page"])
        problems += [f"reference: {line}" for line in result["faults"]]
    score.prepare(task)
    before = score.look(task)
    if task["kind"] == "refuse":
        problems += [f"refusing: {line}" for line in score.faults(task, before, refused=True)]
    if not score.faults(task, before):
        problems.append("doing nothing passes")
    wrong = answer["wrong"]
    for entry in wrong:
        page = entry["page"] if "page" in entry else swapped(answer["page"], entry["swap"])
        result = apply(task, page)
        if not result["applied"]:
            problems.append(f"wrong plan cannot be applied ({entry['why']}): {result['faults']}")
        elif not result["faults"]:
            problems.append(f"wrong plan passes: {entry['why']}")
    return {"task": task["id"], "problems": problems, "wrong": len(wrong), "seconds": time.perf_counter() - started}


def ask(task: dict[str, Any], options: argparse.Namespace, **more: Any) -> dict[str, Any]:
    """One prompt to a planner, and the score of its result."""
    score.prepare(task)
    before = score.look(task)
    start = time.perf_counter()
    settings = {"retries": options.retries, **more.pop("settings", {})}
    report = api.run(task["prompt"], object=task["object"], approve="all", settings=settings, **more)
    seconds = time.perf_counter() - start
    done = report.status == "done"
    gates = report.gates or {}
    usage = report.usage or {}
    # A server that never answered has refused nothing.
    answered = options.arm == "offline" or bool(usage.get("output_tokens"))
    faults = score.faults(task, before, refused=not done and answered)
    if done and not (task["kind"] == "refuse"):
        restored = undone(before)
    else:
        restored = []
        if not done:
            restored = [f"left behind: {line}" for line in snapshot.differences(before["file"], snapshot.snapshot())]
    return {
        "task": task["id"],
        "kind": task["kind"],
        "passed": not faults and not restored,
        "done": done,
        "status": report.status,
        "codes": sorted({m["code"] for m in report.messages if m["severity"] == "error"}),
        "faults": faults + restored,
        "gates": gates.get("success"),
        "touched": any(_is_touch(line) for line in faults),
        "undo": not restored,
        "seconds": round(seconds, 3),
        "input_tokens": usage.get("input_tokens"),
        "output_tokens": usage.get("output_tokens"),
        "attempts": report.attempts,
        "cost": usage.get("cost_usd"),
    }


def ask_raw(task: dict[str, Any], options: argparse.Namespace, server: plain_bpy.Server) -> dict[str, Any]:
    """One prompt to a model that writes plain ``bpy``, and the score of its result. What undo makes of it is not
    measured: scripts have no step of their own.
    """
    score.prepare(task)
    before = score.look(task)
    tokens = server.input_tokens, server.output_tokens
    started = time.perf_counter()
    found = plain_bpy.solve(task, server, options.retries)
    seconds = time.perf_counter() - started
    faults = score.faults(task, before, refused=not found["done"] and found["answered"])
    return {
        "task": task["id"],
        "kind": task["kind"],
        "passed": not faults,
        "done": found["done"],
        "status": "done" if found["done"] else "error",
        "codes": found["codes"],
        "faults": faults,
        "gates": None,
        "touched": any(_is_touch(line) for line in faults),
        "undo": None,
        "seconds": round(seconds, 3),
        "input_tokens": server.input_tokens - tokens[0],
        "output_tokens": server.output_tokens - tokens[1],
        "attempts": found["attempts"],
        "cost": server.cost(tokens),
    }


def _is_touch(line: str) -> bool:
    return line.endswith(("was changed", "is gone", "other modifiers", "another order"))


def table(results: list[dict[str, Any]]) -> dict[str, Any]:
    """The figures of one arm."""

    def share(chosen: list[dict[str, Any]]) -> list[int]:
        return [sum(one["passed"] for one in chosen), len(chosen)]

    done = [one for one in results if one["done"]]
    costs = [one["cost"] for one in results if one["cost"] is not None]
    return {
        "passed": share(results),
        "make": share([one for one in results if one["kind"] == "make"]),
        "edit": share([one for one in results if one["kind"] == "edit"]),
        "refuse": share([one for one in results if one["kind"] == "refuse"]),
        "done": [len(done), len(results)],
        "at_once": [sum(one["attempts"] <= 1 for one in done), len(results)],
        "right_of_done": [sum(one["passed"] for one in done), len(done)],
        "touched": sum(one["touched"] for one in done),
        "undo_failed": None if results and results[0]["undo"] is None else sum(not one["undo"] for one in results),
        "seconds": round(statistics.median([one["seconds"] for one in results]), 2) if results else None,
        "tokens": sum((one["input_tokens"] or 0) + (one["output_tokens"] or 0) for one in results),
        "cost": round(sum(costs), 4) if costs else None,
    }


def chosen(options: argparse.Namespace) -> list[dict[str, Any]]:
    """The tasks that are asked for, and that this Blender has the nodes for."""
    tasks = [task for task in score.load().values() if score.serves(task)]
    if options.only:
        tasks = [task for task in tasks if any(word in task["id"] for word in options.only)]
    index, count = (int(number) for number in options.shard.split("/"))
    return tasks[index - 1 :: count]


def _cost(text: str) -> float:
    cost = float(text)
    if not cost >= 0:  # NaN would be no limit
        raise ValueError(text)
    return cost


def arguments(given: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--arm", choices=("answers", "offline", "endpoint", "raw"), default="offline")
    parser.add_argument("--only", action="append", metavar="TEXT", help="tasks with this in their ID")
    parser.add_argument("--shard", default="1/1", metavar="I/N")
    parser.add_argument("--out", type=Path, metavar="FILE")
    parser.add_argument("--provider", default="openai-compatible")
    parser.add_argument("--model")
    parser.add_argument("--base-url")
    parser.add_argument("--key-variable")
    parser.add_argument("--retries", type=int, default=2)
    parser.add_argument("--max-cost", type=_cost, help="no task is begun once all together cost this much")
    parser.add_argument("--seed", type=int, help="what the model draws its random numbers from, where it can")
    parser.add_argument("--settings", default="{}", metavar="JSON", help="settings of every run, such as input_price")
    parser.add_argument("--timeout", type=float, default=300.0, help="seconds for each task of a model")
    return parser.parse_args(given)


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Runs one arm; the result is what the file holds."""
    started = time.perf_counter()
    results: list[dict[str, Any]] = []
    tasks = chosen(options)
    if not tasks:
        raise SystemExit("no task is asked for that this Blender can do")
    spent = 0.0
    answers = json.loads(ANSWERS.read_text(encoding="utf-8"))["answers"]
    server = plain_bpy.server_of(options) if options.arm == "raw" else None
    for task in tasks:
        if options.arm == "answers":
            found = answers_of(task, answers[task["id"]])
            shown = "; ".join(found["problems"]) or "ok"
        else:
            if options.max_cost is not None and spent >= options.max_cost:
                break
            found = ask_raw(task, options, server) if server else ask(task, options, **_planner(options, spent))
            spent += found["cost"] or 0.0
            shown = "passed" if found["passed"] else "; ".join([*found["codes"], *found["faults"]])
        results.append(found)
        print(f"{task['id']:28} {found['seconds']:6.2f} s  {shown[:300]}", flush=True)
    out = {
        "benchmark": 1,
        "arm": options.arm,
        "blender": "{}.{}".format(*bpy.app.version),
        "model": options.model,
        "asked": len(tasks),
        "seconds": round(time.perf_counter() - started, 1),
        "results": results,
    }
    if options.arm != "answers":
        out["table"] = table(results)
    return out


def _planner(options: argparse.Namespace, spent: float) -> dict[str, Any]:
    if options.arm == "offline":
        return {"provider": "offline"}
    settings: dict[str, Any] = {"temperature": 0, "seed": options.seed, **json.loads(options.settings)}
    if options.max_cost is not None:
        settings["max_run_cost"] = options.max_cost - spent
    return {
        "provider": options.provider,
        "model": options.model,
        "base_url": options.base_url,
        "key_variable": options.key_variable,
        "timeout_s": options.timeout,
        "settings": settings,
    }


def main() -> int:
    options = arguments()
    found = run(options)
    if options.out:
        options.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    if options.arm == "answers":
        bad = [one for one in found["results"] if one["problems"]]
        plans = sum(one["wrong"] for one in found["results"])
        print(f"{len(found['results']) - len(bad)} of {len(found['results'])} tasks hold, {plans} wrong plans found, "
              f"{found['seconds']} s")  # fmt: skip
        return 1 if bad else 0
    print(json.dumps(found["table"]))
    return 0


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # Blender's module may hang while the interpreter shuts down
