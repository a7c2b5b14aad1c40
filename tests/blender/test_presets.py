# SPDX-License-Identifier: GPL-3.0-or-later
"""Each preset by its effect on evaluated geometry: as asked, at the ends of its inputs, unlike the others."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from geonode_assistant.host import modifiers
from preset_cases import CASES, Seen, made, see


@pytest.fixture(scope="module")
def results() -> dict[str, Seen]:
    return {name: see(made(case)[0]) for name, case in CASES.items()}


def test_every_preset_does_what_its_prompt_asks(results: dict[str, Seen]) -> None:
    def told(seen: Seen) -> str:
        shown = (
            f"{seen.vertices} vertices, {seen.faces} faces, {seen.boundary} at the boundary, {seen.instances} instances"
        )
        return f"{shown}, from {seen.low.round(3)} to {seen.high.round(3)}"

    wrong = [f"{name}: {told(seen)}" for name, seen in results.items() if not CASES[name].holds(seen)]
    assert len(results) > 50 and not wrong, "\n".join(wrong)


def test_no_preset_passes_for_another(results: dict[str, Seen]) -> None:
    alike = [
        f"{name} passes as {other}"
        for name, seen in results.items()
        for other, case in CASES.items()
        if name != other and case.holds(seen)
    ]
    assert not alike, "\n".join(alike)


def test_inputs_have_an_effect_at_the_ends_of_their_ranges() -> None:
    wrong, examined = [], 0
    for name, case in CASES.items():
        if not case.ends:
            continue
        target, modifier = made(case)
        inputs = {item.name: item.identifier for item in modifiers.inputs_of(modifier.node_group)}
        for title, values in case.ends.items():
            if title not in inputs:
                wrong.append(f"{name} has no input {title}: {', '.join(inputs)}")
                continue
            before = modifiers.read_inputs(modifier)[inputs[title]]
            usual = see(target)
            for value in values:
                examined += 1
                modifiers.write_input(modifier, inputs[title], value)
                target.update_tag()
                bpy.context.view_layer.update()
                seen = see(target)
                pairs = ((seen.points, usual.points), (seen.corners, usual.corners), (seen.places, usual.places))
                same = all(one.shape == other.shape and np.allclose(one, other) for one, other in pairs)
                if same or not np.isfinite([seen.low, seen.high]).all():
                    wrong.append(f"{name}: {title} = {value} has no effect, or a wrong one")
            modifiers.write_input(modifier, inputs[title], before)
            target.update_tag()
            bpy.context.view_layer.update()
    assert examined > 100 and not wrong, "\n".join(wrong)
