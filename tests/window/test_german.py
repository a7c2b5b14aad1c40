# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar in German."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from test_looks import LIGHT
from window import ADDON, Window

VIEW = "bpy.context.preferences.view"


@pytest.fixture
def german(window: Window) -> Iterator[Window]:
    window.do(f"{VIEW}.language = next(e for e in ('de_DE', 'de') if e in bpy.app.translations.locales)")
    yield window
    window.do(f"{VIEW}.language = 'en_US'")


def test_the_sidebar_speaks_german(german: Window) -> None:
    window = german
    window.settle()
    window.photograph("german_start")
    say = f"__import__('{ADDON}.ui.translation', fromlist=['say']).say"
    assert window.ask(f"{say}('Surprise Me')") == "Überrasche mich"
    assert window.ask("bpy.app.translations.pgettext('Send', 'Operator')") == "Senden"
    window.send_prompt("scatter 20 cubes on cube")
    assert window.ask("current.summary") == "DONE", window.ask("current.messages")
    told = f"__import__('{ADDON}.ui.translation', fromlist=['told']).told"
    assert window.ask(f"{told}('Scattered 20 copies of “Cube” over “Cube”.')").endswith("über „Cube“ verstreut.")
    window.settle()
    window.photograph("german_card")
    window.do("preferences.choices.stored().provider = 'openai-compatible'; current.show('setup')")
    window.settle()
    window.photograph("german_setup")
    window.do("preferences.choices.stored().provider = 'offline'; current.reset('')")


def test_german_can_be_read_in_a_narrow_sidebar(german: Window) -> None:
    window, width = german, german.box("VIEW_3D")[2]
    try:
        window.widen(220)
        window.send_prompt("scatter 20 cubes on cube")
        window.photograph("german_card_220")
        for what in ("geonode.send", "ed.undo", "geonode.keep_preset"):
            window.find(what)
        window.do(LIGHT)
        window.do("current.reset(''); current.show('setup')")
        window.do("preferences.choices.stored().provider = 'openai-compatible'")
        window.settle()
        window.photograph("german_setup_220")
        # A long name of who plans has a row of its own.
        window.find("geonode.show", across=0.2)
    finally:
        window.do("preferences.choices.stored().provider = 'offline'; current.reset('')")
        window.do("bpy.ops.preferences.reset_default_theme()")
        window.widen(width)


QUESTION = """
from types import SimpleNamespace
code = "\\n".join(f"value_{n} = {n}" for n in range(40))
script = {"mode": "safe", "code": code, "lines": 40, "timeout_ms": 1000, "removes": [], "marks": [3]}
step = {"id": "/steps/0", "step_id": "s", "description": "Scatter", "destructive": True, "reason": None}
step |= {"operations": [], "script": script, "action_type": "PYTHON"}
request = {"reason": "It runs a script of 40 lines.", "steps": [step], "diff": [], "summary": []}
current.reset("x")
current.handle = SimpleNamespace(pending={"1": request}, finished=False, trying=False, close=lambda: None,
                                 poll=lambda *_: [], state="applying", summary="VALIDATING")
current.summary = "VALIDATING"
"""


def test_questions_about_scripts_can_be_answered_in_german_in_a_narrow_sidebar(german: Window) -> None:
    window, width = german, german.box("VIEW_3D")[2]
    try:
        window.widen(220)
        window.do(QUESTION)
        window.settle()
        window.photograph("german_question_220")
        for what, across in (("accept=True", 0.3), ("accept=False", 0.8)):
            window.find(what, across=across)
        # One below the other: side by side the longer name would be cut.
        window.find("page=1", across=0.3)
        window.photograph("german_script_220")
    finally:
        window.do("current.handle = None\ncurrent.reset('')")
        window.widen(width)
