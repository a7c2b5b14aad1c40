# SPDX-License-Identifier: GPL-3.0-or-later
"""The benchmark's scorer is held to a few of its answers; ``drive.py --arm answers`` goes through all of them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import bpy
import pytest

FOLDER = Path(__file__).parents[2] / "manifests" / "benchmark"
sys.path.append(str(FOLDER))

import drive  # noqa: E402
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
