# SPDX-License-Identifier: GPL-3.0-or-later
"""Follow-ups that name another object or a part: what is copied changes, its place does not, and nothing vanishes."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from geonode_assistant import api
from geonode_assistant.run.report import RunReport
from preset_cases import scene


def run(prompt: str) -> RunReport:
    return api.run(prompt, provider="offline")


def shown(name: str) -> list[tuple[str, tuple[float, ...]]]:
    """What the copies of an object are, and where."""
    copies = bpy.context.evaluated_depsgraph_get().object_instances
    return [
        (one.object.original.name, tuple(one.matrix_world.translation))
        for one in copies
        if one.is_instance and one.parent.original.name == name
    ]


@pytest.mark.parametrize("change", ["use balls instead", "no, use the ball", "balls instead", "use Ball instead"])
def test_another_thing_is_copied_in_its_place(change: str) -> None:
    scene()
    assert run("place 12 Cube along the curve").status == "done"
    before = [place for _, place in shown("Curve")]
    assert run(change).status == "done"
    after = shown("Curve")
    assert {name for name, _ in after} == {"Ball"}
    assert np.allclose([place for _, place in after], before, atol=1e-4)
    assert not bpy.data.objects["Ball"].modifiers


def test_halves_of_a_curve_are_kept_and_nothing_vanishes() -> None:
    scene()
    assert run("place 12 Cube along the curve").status == "done"
    whole = np.array([place for _, place in shown("Curve")])
    assert run("only on the second half").status == "done"
    half = np.array([place for _, place in shown("Curve")])
    assert len(half) == 12
    assert np.allclose(half[-1], whole[-1], atol=1e-3)
    assert np.ptp(half[:, 0]) < 0.7 * np.ptp(whole[:, 0])
    report = run("end 0.5")
    assert report.status == "error"
    assert "nothing is left" in report.messages[0]["text"]
    assert np.allclose([place for _, place in shown("Curve")], half)


def test_a_result_stays_on_its_object() -> None:
    scene()
    assert run("scatter 20 Cube on the plane").status == "done"
    before = shown("Plane")
    assert run("now on the ball").status == "error"
    assert shown("Plane") == before
    assert not bpy.data.objects["Ball"].modifiers


def test_what_looks_turns_its_front() -> None:
    scene()
    monkey, ball = bpy.data.objects["Suzanne"], bpy.data.objects["Ball"]
    ball.location = (26, 3, 1)
    bpy.context.view_layer.update()
    rest = np.array([vertex.co[:] for vertex in monkey.data.vertices])
    assert run("make Suzanne look at the ball").status == "done"
    graph = bpy.context.evaluated_depsgraph_get()
    turned = np.array([vertex.co[:] for vertex in monkey.evaluated_get(graph).data.vertices])
    turn = np.linalg.lstsq(rest, turned, rcond=None)[0].T
    way = np.array(ball.location - monkey.location)
    assert np.allclose(turn @ [0, -1, 0], way / np.linalg.norm(way), atol=1e-3)
    assert np.allclose(turn @ [0, 0, 1], [0, 0, 1], atol=1e-3)
