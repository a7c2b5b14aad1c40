# SPDX-License-Identifier: GPL-3.0-or-later
"""The benchmark's scorer is held to a few of its answers; ``drive.py --arm answers`` goes through all of them."""

from __future__ import annotations

import json
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import bpy
import pytest
from geonode_assistant.native import core

FOLDER = Path(__file__).parents[2] / "manifests" / "benchmark"
sys.path.append(str(FOLDER))

import drive  # noqa: E402
import measure  # noqa: E402
import plain_bpy  # noqa: E402
import score  # noqa: E402
import snapshot  # noqa: E402

TASKS = score.load()
ANSWERS = json.loads(drive.ANSWERS.read_text(encoding="utf-8"))["answers"]
# Instances, a zone, nested groups, a menu, a refusal: small scenes, since all Blenders run them.
CHOSEN = ("row_with_gaps", "tower_gaps", "street_window_input", "lamp_box_shade", "no_such_object")


@pytest.mark.parametrize("name", CHOSEN)
def test_the_reference_passes_and_every_wrong_plan_fails(name: str) -> None:
    assert drive.answers_of(TASKS[name], ANSWERS[name])["problems"] == []


def test_the_scorer_sees_what_was_touched() -> None:
    """Each change that the task does not speak of is a fault of its own, in words."""
    task = TASKS["pebbles_size_input"]

    def muted() -> None:
        tree.nodes["Size"].mute = True

    def unlinked() -> None:
        [link] = [link for link in tree.links if link.to_node.name == "Place" and link.to_socket.name == "Scale"]
        tree.links.remove(link)

    def value() -> None:
        [socket] = [socket for socket in tree.nodes["Size"].inputs if socket.name == "Max" and socket.enabled]
        socket.default_value = 1.5

    def moved() -> None:
        bpy.data.objects["Rock"].location.x += 1

    def reshaped() -> None:
        bpy.context.object.data.vertices[0].co.z = 1

    def renamed() -> None:
        tree.interface.items_tree["Seed"].name = "Chance"

    def hidden() -> None:
        bpy.context.object.modifiers[0].show_viewport = False

    cases = {
        muted: "properties of node Size", unlinked: "link Size → Place", value: "of node Size of Pebbles",
        moved: "matrix of object Rock", reshaped: "data of object Ground", renamed: "input Seed of Pebbles",
        hidden: "shown of modifier Pebbles",
    }  # fmt: skip
    score.prepare(task)
    for change, words in cases.items():
        tree: Any = bpy.data.node_groups["Pebbles"]
        before = snapshot.snapshot()
        bpy.ops.ed.undo_push(message="Before")
        change()
        bpy.context.view_layer.update()
        found = score.untouched(task, before, snapshot.snapshot())
        assert any(words in line for line in found), (words, found)
        bpy.ops.ed.undo_push(message="Changed")
        bpy.ops.ed.undo()
        assert not snapshot.differences(before, snapshot.snapshot()), words


def test_the_built_in_planner_takes_part() -> None:
    options = drive.arguments(["--arm", "offline", "--only", "curve_to_pipe", "--only", "no_such_object"])
    out = drive.run(options)
    assert out["table"]["passed"] == [2, 2], out["results"]
    options = drive.arguments(["--arm", "offline", "--only", "pebbles_are_rocks"])
    assert drive.run(options)["results"][0]["faults"] == ["refused"]


@contextmanager
def model(*answers: str) -> Iterator[tuple[str, list[Any]]]:
    """The base URL of a server that gives these answers one after the other, and the requests that it got."""
    requests: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            requests.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            message = {"role": "assistant", "content": answers[len(requests) - 1]}
            usage = {"prompt_tokens": 100, "completion_tokens": 10}
            body = json.dumps({"choices": [{"message": message}], "usage": usage}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", requests
    finally:
        server.shutdown()
        server.server_close()


SUBDIVIDED = """Sure:
```python
import bpy
tree = bpy.data.node_groups.new("Finer", "GeometryNodeTree")
tree.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
made = [tree.nodes.new(kind) for kind in ("NodeGroupInput", "GeometryNodeSubdivideMesh", "NodeGroupOutput")]
for first, second in zip(made, made[1:]):
    tree.links.new(first.outputs[0], second.inputs[0])
bpy.context.object.modifiers.new("Finer", "NODES").node_group = tree
```
"""


@pytest.mark.skipif(core().sandbox_missing() is not None, reason="this system has no sandbox")
def test_plain_scripts_run_in_the_sandbox_and_are_scored(tmp_path: Path) -> None:
    """An exception goes back, what the script leaves is scored, and nothing outside is reached or changed."""
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    outside = tmp_path / "outside"
    failing = f"import bpy\nbpy.data.objects.remove(bpy.context.object)\nopen({str(outside)!r}, 'w')"
    task = {"prompt": "make it finer", "object": "Cube"}
    with model(failing, SUBDIVIDED, "REFUSED: there is no dragon") as (url, requests):
        server = plain_bpy.Server(url, "m", prices=(1.0, 10.0))
        found = plain_bpy.solve(task, server, retries=1)
        assert found == {"done": True, "codes": [], "attempts": 2, "answered": True}
        assert "PermissionError" in requests[1]["messages"][-1]["content"] and not outside.exists()
        assert "Cube" in requests[0]["messages"][1]["content"]
        assert measure.measure(bpy.data.objects["Cube"])["faces"] == 24
        assert server.cost((0, 0)) == pytest.approx(0.0004)
        options = drive.arguments(["--arm", "raw", "--only", "no_such_object", "--base-url", url])
        [result] = drive.run(options)["results"]
    assert result["passed"] and result["codes"] == ["refused"] and result["undo"] is None


@pytest.mark.parametrize("arm", ["raw", "endpoint"])
def test_a_server_that_never_answers_has_refused_nothing(arm: str) -> None:
    """It fails the task that must be refused, and does not end the benchmark."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    given = ["--arm", arm, "--only", "no_such_object", "--base-url", url, "--model", "m", "--retries", "0"]
    [result] = drive.run(drive.arguments(given))["results"]
    assert not result["done"] and not result["passed"] and "not refused" in result["faults"][0], result
