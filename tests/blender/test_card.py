# SPDX-License-Identifier: GPL-3.0-or-later
"""The card of a result: what it says is true, what it offers works, and nothing on it is meant for a model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import bpy
import geonode_assistant
import geonode_core
import pytest
from asking import lift
from geonode_assistant.cli import e2e
from geonode_assistant.host import sliders
from geonode_assistant.run import session, starting
from geonode_assistant.ui import properties, wording
from geonode_assistant.ui.panels import card, understanding
from layouts import draw_sidebar

# What plans are made of, and what their findings and fixes are about.
TECHNICAL = re.compile(r"`|\b(JSON|schema|node ID|operations?|steps?|done: |[a-z]+_[a-z_]+|[A-Z]+_[A-Z_]+)\b")


@pytest.fixture(autouse=True)
def scene() -> Iterator[None]:
    session.current.reset("")
    geonode_assistant.register()
    e2e.build_start({"objects": [{"name": "Plane", "primitive": "plane", "size": 10}], "active": "Plane"}, None)
    bpy.ops.ed.undo_push(message="Start")
    yield
    geonode_assistant.unregister()
    session.current.reset("")


def finish() -> None:
    """Polls the run to its end, as the timer does."""
    while session.current.running:
        session.current.poll()


def send(prompt: str = "scatter 20 cubes on the plane", target: str | None = None, **more: Any) -> None:
    starting.start(prompt, object=target, approve="all", **more)
    finish()


def shown() -> str:
    return " ".join(draw_sidebar(width=2000))


def test_a_result_begins_with_one_sentence_and_offers_what_can_be_done() -> None:
    send()
    drawn = draw_sidebar(width=2000)
    first = (
        "Scattered 20 copies of built-in cube over “Plane”, made smaller for want of room: to about 92% of their size."
    )
    assert drawn[drawn.index("New") + 1] == first
    assert {"Count", "Seed", "ed.undo", "geonode.open_tree", "Change", "Show Log", "geonode.randomize"} <= set(drawn)
    assert not any("scatter:" in text or text == "scatter" for text in drawn), "the ID of a step is for the log"


def test_a_renamed_object_keeps_its_card_and_a_removed_result_is_said() -> None:
    send()
    plane = bpy.data.objects["Plane"]
    plane.name = "Ground"
    assert [m.id_data.name for m in session.current.results] == ["Ground"]
    assert "Scatter on Ground" in shown() and card.REMOVED not in shown()
    plane.modifiers[0].name = "Stones"
    assert "Stones on Ground" in shown()
    plane.modifiers.remove(plane.modifiers[0])
    assert session.current.removed and card.REMOVED in shown()
    assert "ed.undo" not in shown() and not bpy.ops.geonode.open_tree.poll()


def test_what_is_gone_cannot_be_changed_any_more() -> None:
    plan = lift() | {"final_message": "Lifted it. All of it can be changed in the modifier."}
    send("x", provider="replay", replies=[plan])
    assert "All of it can be changed" in shown()
    bpy.data.objects["Plane"].modifiers.clear()
    assert "Lifted it." in shown() and card.REMOVED in shown() and "can be changed" not in shown()


def test_what_is_gone_has_no_tick_and_can_be_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    send()
    bpy.data.objects["Plane"].modifiers.clear()
    icons = []
    monkeypatch.setattr(card, "draw_text", lambda *a, **_: icons.append(a[3]) if len(a) > 3 else None)
    draw_sidebar(width=2000)
    assert icons and "CHECKMARK" not in icons
    monkeypatch.undo()
    assert "geonode.try_again" in shown() and bpy.ops.geonode.try_again() == {"FINISHED"}
    finish()
    assert len(bpy.data.objects["Plane"].modifiers) == 1 and card.REMOVED not in shown()


def test_a_preset_whose_result_is_gone_leads_to_the_gallery() -> None:
    send("x", provider="replay", replies=[lift()])
    session.current.is_prompt = False
    bpy.data.objects["Plane"].modifiers.clear()
    drawn = draw_sidebar(width=2000)
    assert drawn.count("geonode.gallery") == 2 and "geonode.try_again" not in drawn


def test_a_result_inside_another_object_is_said() -> None:
    bpy.ops.mesh.primitive_cube_add(size=6, location=(0, 0, 1))
    bpy.context.view_layer.objects.active = None
    send("a table")
    assert "It stands inside “Cube”, which may hide it" in shown(), session.current.messages
    bpy.data.objects["Cube"].location.x = 30
    bpy.context.view_layer.update()
    assert "It stands inside" not in shown()
    bpy.data.objects["Cube"].location.x = 0
    bpy.data.objects["Cube"].hide_set(True)
    assert "It stands inside" not in shown()


def test_a_title_is_never_cut() -> None:
    send()
    bpy.data.objects["Plane"].name = "A Rather Long Name of an Object"
    drawn = draw_sidebar(width=220)
    [start] = [at for at, text in enumerate(drawn) if text.startswith("Scatter on")]
    assert " ".join(drawn[start : start + 3]).startswith("Scatter on A Rather Long Name of an Object")


def test_words_for_a_change_take_the_prompt_before_out_of_its_field() -> None:
    properties.edited().prompt = "scatter 20 cubes on the plane"
    send()
    change("make it 30")
    assert properties.edited().prompt == ""
    properties.edited().prompt = "something else"
    change("make it 40")
    assert properties.edited().prompt == "something else"


def test_a_long_refusal_begins_with_its_first_sentence() -> None:
    send()
    send("make it odd")
    assert session.current.summary == "ERROR"
    few = shown()
    assert "is no change of the last result" in few and "What can be changed there" not in few
    bpy.ops.geonode.show(part=card.DETAILS)
    assert "What can be changed there" in shown()


def test_a_deleted_object_takes_its_sliders_along_and_undo_brings_them_back() -> None:
    send()
    bpy.data.objects.remove(bpy.data.objects["Plane"])
    bpy.ops.ed.undo_push(message="Delete")
    assert card.REMOVED in shown() and session.current.results == []
    bpy.ops.ed.undo()
    assert card.REMOVED not in shown()
    assert [m.id_data.name for m in session.current.results] == ["Plane"]


def test_an_undone_result_offers_redo() -> None:
    send()
    bpy.ops.ed.undo()
    assert card.UNDONE in shown() and "ed.redo" in shown() and "Count" not in shown()
    bpy.ops.ed.redo()
    assert card.UNDONE not in shown() and "Count" in shown()


def test_new_clears_the_card_and_leaves_the_file() -> None:
    send()
    assert bpy.ops.geonode.new_conversation() == {"FINISHED"}
    assert session.current.summary == "IDLE" and "Scattered" not in shown()
    assert bpy.data.objects["Plane"].modifiers


def seeds() -> list[int]:
    [modifier] = session.current.results
    found = [slider for slider in sliders.of(modifier) if slider.is_seed]
    return [s.owner.value if s.path == "value" else s.owner[s.path[2:-2]] for s in found]


def test_seeds_get_other_values() -> None:
    send()
    assert seeds() == [0]
    [modifier] = session.current.results
    before = [value for value in seeds() for _ in range(3)]
    after = []
    for _ in range(3):
        assert bpy.ops.geonode.randomize() == {"FINISHED"}
        after += seeds()
    assert after != before and all(0 <= value < 10_000 for value in after)
    assert sliders.randomize(modifier) == 1


def test_a_prompt_is_tried_again_after_its_result_is_taken_back() -> None:
    send()
    assert bpy.ops.geonode.try_again() == {"FINISHED"}
    finish()
    assert session.current.summary == "DONE"
    assert len(bpy.data.objects["Plane"].modifiers) == 1 and len(bpy.data.node_groups) == 1


def test_a_result_with_later_work_is_not_taken_back_unasked() -> None:
    send()
    bpy.data.objects["Plane"].location.x = 3
    bpy.ops.ed.undo_push(message="Move")
    assert bpy.ops.geonode.try_again() == {"CANCELLED"}
    assert bpy.data.objects["Plane"].location.x == 3 and not session.current.undone


def test_words_change_the_result_of_another_active_object() -> None:
    send()
    bpy.ops.object.light_add()
    properties.edited().change = "make it 30"
    assert bpy.ops.geonode.change() == {"FINISHED"}
    finish()
    assert session.current.summary == "DONE" and properties.edited().change == ""
    [modifier] = bpy.data.objects["Plane"].modifiers
    count = next(s for s in sliders.of(modifier) if s.name == "Count")
    assert (count.owner.value if count.path == "value" else count.owner[count.path[2:-2]]) == 30


def change(words: str) -> None:
    properties.edited().change = words
    assert bpy.ops.geonode.change() == {"FINISHED"}
    finish()


def test_a_result_outlives_a_follow_up_that_failed() -> None:
    send()
    change("glorp the flibber")
    assert session.current.summary == "ERROR" and session.current.results == []
    assert {card.FORMER, "Count", "Change", "geonode.open_tree"} <= set(draw_sidebar(width=2000))
    send("still not a thing to make")
    change("make it 30")
    assert session.current.summary == "DONE" and card.FORMER not in shown()
    change("glorp the flibber")
    bpy.ops.ed.undo()
    assert card.FORMER not in shown(), "what is undone does not stand"
    bpy.ops.ed.redo()
    assert card.FORMER in shown()
    plane = bpy.data.objects["Plane"]
    plane.modifiers.remove(plane.modifiers[0])
    assert card.FORMER not in shown() and not bpy.ops.geonode.change.poll()


def test_an_object_that_is_missing_is_said_and_never_replaced() -> None:
    properties.edited().prompt = "scatter 20 cubes on Nowhere"
    assert bpy.ops.geonode.send() == {"FINISHED"}
    finish()
    assert session.current.summary == "ERROR" and "“Nowhere”" in shown()
    assert not bpy.data.objects["Plane"].modifiers


def test_a_named_object_comes_before_the_active_one() -> None:
    bpy.ops.mesh.primitive_cube_add()
    bpy.context.object.name = "Box"
    properties.edited().prompt = "scatter 20 cubes on Plane"
    assert bpy.ops.geonode.send() == {"FINISHED"}
    finish()
    assert bpy.data.objects["Plane"].modifiers and not bpy.data.objects["Box"].modifiers


def of_model(plan: Any, times: int = 3) -> str:
    """What the panel says after a model has answered this again and again."""
    send("x", provider="replay", replies=[plan] * times)
    assert session.current.summary == "ERROR", session.current.messages
    return shown()


def without(plan: dict[str, Any], field: str) -> dict[str, Any]:
    return {key: value for key, value in plan.items() if key != field}


@pytest.mark.parametrize(
    "plan", [lift() | {"version": "0"}, without(lift(), "steps"), lift() | {"more": 1}, {"done": 1}, "not", "{"]
)
def test_mistakes_in_a_plan_are_told_as_what_they_mean(plan: Any) -> None:
    said = of_model(plan)
    assert "nothing was changed" in said and "geonode.try_again" in said
    assert not TECHNICAL.search(said.replace("geonode.try_again", "").replace("geonode.new_conversation", "")), said
    session.current.show("log")
    assert session.current.messages[0]["code"] in shown(), "the log has the rest"


def test_what_a_model_wrote_in_place_of_a_plan_is_shown() -> None:
    of_model("I would rather not.")
    session.current.fold([{"event": "text", "text": "I would rather not."}])
    assert "It answered: I would rather not." in shown()


def test_retries_of_a_run_that_came_right_are_in_the_log() -> None:
    send("x", provider="replay", replies=[without(lift(), "steps"), lift()])
    assert session.current.summary == "DONE" and session.current.messages
    assert "asked again" not in shown()
    session.current.show("log")
    assert "asked again" in shown()


def test_a_long_conversation_is_told_in_plain_words_where_a_model_planned() -> None:
    remark = {"severity": "info", "code": "conversation_cut", "text": "0 of 1 turns were left out (`x`)."}
    assert wording.lines([remark], "offline") == []
    [line] = wording.lines([remark], "openai")
    assert "turns" not in line.text and "Start a new one" in line.text


def test_a_models_result_can_be_tried_again() -> None:
    send()
    assert "geonode.try_again" not in shown(), "the offline planner gives one prompt one answer"
    send("x", provider="replay", replies=[lift()])
    assert {"geonode.try_again", "ed.undo"} <= set(draw_sidebar())


def test_a_standing_remark_appears_once() -> None:
    remark = {"severity": "warning", "code": "unknown_model", "text": "The model is not known here."}
    for first in (True, False):
        send()
        session.current.messages = [remark]
        assert ("The model is not known here." in shown()) == first
        assert ("The model is not known here." in shown()) == first, "it stays with its run"


@pytest.mark.parametrize("code", geonode_core.error_codes())
@pytest.mark.parametrize("severity", ["error", "warning"])
def test_nothing_that_is_meant_for_a_model_is_told_to_an_artist(code: str, severity: str) -> None:
    section = geonode_core.code_section(code)
    assert section
    message = {"severity": severity, "code": code, "text": "Set `done: true` in step “s”.", "hint": "Send JSON."}
    if section in wording.OF_PLANS and code not in wording.OF_SCENE:
        for line in wording.lines([message], "openai"):
            assert not TECHNICAL.search(line.text + line.hint), line


def test_a_mistake_in_a_preset_is_told_like_one_of_a_model() -> None:
    message = {"severity": "error", "origin": "preflight", "code": "unknown_socket", "text": "line 3: no output."}
    [line] = wording.lines([message], "offline")
    assert "line 3" not in line.text and "nothing was changed" in line.text


def test_every_code_with_words_of_its_own_exists() -> None:
    known = set(geonode_core.error_codes())
    assert known >= wording.OF_SCENE | wording.FORM | wording.GATES.keys()
    assert {geonode_core.code_section(code) for code in known} >= wording.OF_PLANS.keys()


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        ("One. Two!\nThree", ["One.", "Two!", "Three"]),
        ("Scattered 2.5 of “Mr. Smith. Jr” here. Seed 0.", ["Scattered 2.5 of “Mr. Smith. Jr” here.", "Seed 0."]),
        ("Name it, e.g. “it”. Next.", ["Name it, e.g. “it”.", "Next."]),
        ("About 3 m, e.g. small ones. Next.", ["About 3 m, e.g. small ones.", "Next."]),
        ("Open “quote. Never closed", ["Open “quote. Never closed"]),
    ],
)
def test_a_message_is_divided_into_sentences(text: str, parts: list[str]) -> None:
    assert list(wording.sentences(text)) == parts


READ = "scatter 30 tiny rocks on the plane"


def opened(prompt: str = READ) -> list[str]:
    """What the panel shows of a prompt's result once its understanding is opened."""
    send(prompt)
    assert session.current.summary == "DONE", session.current.messages
    bpy.ops.geonode.show(part=understanding.PART)
    return draw_sidebar(width=2000)


def test_each_value_says_the_word_that_it_came_from() -> None:
    send(READ)
    drawn = draw_sidebar(width=2000)
    assert "How It Was Understood" in drawn and not [text for text in drawn if text.startswith("from ")]
    assert not any("Assumed (default)" in text or "can be changed in" in text for text in drawn)
    bpy.ops.geonode.show(part=understanding.PART)
    drawn = draw_sidebar(width=2000)
    after = {name: drawn[drawn.index(name) + 1] for name in ("Count", "Size")}
    assert after == {"Count": "from “30”", "Size": "from “tiny”"}
    assert understanding.ASSUMED in drawn and any(text.startswith("As “Scatter”, placing ") for text in drawn)
    assert drawn.count("from “tiny”") == 1 and not drawn[drawn.index("Seed") + 1].startswith("from")


def test_without_a_word_for_a_value_all_are_said_to_be_assumed() -> None:
    drawn = opened("scatter rocks on the plane")
    assert understanding.ALL_ASSUMED in drawn and understanding.ASSUMED not in drawn


def test_a_word_without_a_slider_is_not_said_to_have_set_one() -> None:
    drawn = opened("scatter 40 rocks on the plane with density 3")
    assert "Count" not in drawn and drawn[drawn.index("Density") + 1].startswith("from ")
    assert "“40” was read as count 40, which has no slider here." in drawn


def set_count(value: int) -> None:
    [modifier] = session.current.results
    count = next(s for s in sliders.of(modifier) if s.name == "Count")
    if count.path == "value":
        count.owner.value = value
    else:
        count.owner[count.path[2:-2]] = value


def test_a_value_that_was_corrected_no_longer_counts_as_understood() -> None:
    drawn = opened()
    set_count(50)
    drawn = draw_sidebar(width=2000)
    assert drawn[drawn.index("Count") + 1] == "changed since; “30” was 30"
    set_count(30)
    drawn = draw_sidebar(width=2000)
    assert drawn[drawn.index("Count") + 1] == "from “30”"


@pytest.mark.parametrize("is_open", [False, True])
def test_what_was_not_used_is_always_in_sight(is_open: bool) -> None:
    send("scatter 30 red rocks on the plane")
    if is_open:
        bpy.ops.geonode.show(part=understanding.PART)
    assert session.current.summary == "DONE", session.current.messages
    assert shown().count("Not used: “red”.") == 1


@pytest.mark.parametrize("is_open", [False, True])
def test_what_was_taken_instead_is_always_in_sight(is_open: bool) -> None:
    send("scatter 300 trees on the plane")
    if is_open:
        bpy.ops.geonode.show(part=understanding.PART)
    assert session.current.summary == "DONE", session.current.messages
    drawn = shown()
    assumed = session.current.understanding["assumed"]
    assert assumed and all(drawn.count(line) == 1 for line in assumed[: understanding.IN_SIGHT])
    assert any("is used instead" in line for line in assumed)


def test_an_undone_result_stays_undone_further_back() -> None:
    """Further back the file is as it was neither before the run nor after it."""
    bpy.data.objects["Plane"].modifiers.new("Bevel", "BEVEL").width = 0.5
    bpy.ops.ed.undo_push(message="Bevel")
    bpy.data.objects["Plane"].modifiers["Bevel"].width = 0.25
    bpy.ops.ed.undo_push(message="Width")

    def width() -> float:
        return float(bpy.data.objects["Plane"].modifiers["Bevel"].width)

    send(READ)
    bpy.ops.ed.undo()
    assert card.UNDONE in shown() and session.current.undone
    bpy.ops.ed.undo()
    assert width() == 0.5 and card.UNDONE in shown()
    bpy.ops.ed.redo()
    assert width() == 0.25 and card.UNDONE in shown()
    bpy.ops.ed.redo()
    assert card.UNDONE not in shown() and "Count" in shown()


def test_what_was_not_done_is_read_first() -> None:
    send("scatter 30 rocks on the plane with gnomes beside them")
    said = "Only a part was done, without “with gnomes beside them”: no preset can do that here."
    drawn = draw_sidebar(width=2000)
    assert drawn[drawn.index("New") + 1] == said and shown().count("with gnomes beside them") == 1
    assert session.current.report is not None and session.current.report.final_message.startswith(said)


def test_the_understanding_goes_with_its_result() -> None:
    opened()
    bpy.ops.ed.undo()
    assert session.current.understanding is None and "How It Was Understood" not in shown()
    bpy.ops.ed.redo()
    assert "from “30”" in shown()
    bpy.ops.object.light_add()
    assert "from “30”" in shown(), "the card is about its result, whatever is active"
    plane = bpy.data.objects["Plane"]
    plane.modifiers.remove(plane.modifiers[0])
    assert "How It Was Understood" not in shown()


def test_a_change_says_what_it_changed_and_nothing_of_the_rest() -> None:
    send(READ)
    properties.edited().change = "make it 40"
    bpy.ops.geonode.change()
    finish()
    bpy.ops.geonode.show(part=understanding.PART)
    drawn = draw_sidebar(width=2000)
    assert drawn[drawn.index("Count") + 1] == "from “40”"
    assert understanding.ASSUMED not in drawn and not drawn[drawn.index("Size") + 1].startswith("from")


def test_a_models_result_has_no_understanding() -> None:
    send("x", provider="replay", replies=[lift()])
    assert session.current.summary == "DONE" and session.current.understanding is None
    assert "How It Was Understood" not in shown()
