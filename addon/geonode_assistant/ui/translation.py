# SPDX-License-Identifier: GPL-3.0-or-later
"""The words of the interface in Blender's language. The sources are English; a file in ``data/languages`` has the
entries of one language: ``interface`` and ``settings`` what the add-on says, ``core`` and ``presets`` templates of
sentences that the core has composed, ``titles`` names of presets, ``singulars`` the nouns behind their numbers where
that is one, ``signs`` its quotes.

Blender translates plain texts of labels, buttons, properties and tooltips itself, once they are registered. A sentence
with places is one whole entry, filled by ``say``; a sentence of the core is recognized by its template in ``told``.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

import bpy

from ..run import choices
from .wording import sentences

FOLDER = Path(__file__).parent.parent / "data" / "languages"
# Blender asks for the texts of buttons in a context of their own.
CONTEXTS = ("*", "Operator")
# Sections of sentences that are recognized, not looked up.
TEMPLATES = ("core", "presets")
_PLACE = re.compile(r"\{(\w+)\}")
# What “copies” and “copy”, “leaves” and “leaf” have in common.
_NOUN = re.compile(r"^(\\ \w+?)(?:ies|ves|es|s)\b")
_COUNTED = re.compile(r"\{(\w+)\} (\w+)")


def say(text: str, **places: object) -> str:
    """A text in the language of the interface; ``places`` fill its places of these names."""
    translated = bpy.app.translations.pgettext_iface(text)
    return translated.format(**places) if places else translated


def told(text: str) -> str:
    """A sentence that the core or another part composed in English, in the language of the interface; as it is where
    nobody has translated it.
    """
    preferences: Any = bpy.context.preferences
    if not preferences.view.use_translate_interface:
        return text
    return told_in(text, bpy.app.translations.locale[:2])


@lru_cache(maxsize=512)
def told_in(text: str, language: str) -> str:
    """``told`` in this language, such as ``de``."""
    known = entries_of(language)
    whole = (section for section in known if section not in ("singulars", "signs"))
    entries = {key: value for section in whole for key, value in known[section].items()}
    if not entries or text in entries:
        return entries.get(text, text)
    for pattern, translated in _patterns(language):
        found = pattern.fullmatch(text)
        if found:
            return _counted(translated, found.groupdict(), language).format(
                **{name: _filling(name, value, language) for name, value in found.groupdict().items()}
            )
    pieces = sentences(text)
    return " ".join(told_in(piece, language) for piece in pieces) if len(pieces) > 1 else text


def _counted(template: str, values: dict[str, str], language: str) -> str:
    """A template with the nouns of its counts in the singular where the count is one."""
    singulars = entries_of(language).get("singulars", {})
    return _COUNTED.sub(
        lambda found: (
            f"{{{found[1]}}} {singulars.get(found[2], found[2])}" if values.get(found[1]) == "1" else found[0]
        ),
        template,
    )


def _filling(name: str, value: str, language: str) -> str:
    """What fills a place: as it is with the quotes of the language, but the entries of a ``list`` may be templates
    themselves.
    """
    if name == "list":
        return ", ".join(told_in(entry, language) for entry in value.split(", "))
    signs = entries_of(language).get("signs", {})
    return "".join(signs.get(sign, sign) for sign in value)


@lru_cache(maxsize=4)
def _patterns(language: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    known = entries_of(language)
    entries = {text: translated for section in TEMPLATES for text, translated in known.get(section, {}).items()}
    return tuple((pattern_of(template), entries[template]) for template in entries if _PLACE.search(template))


def pattern_of(template: str) -> re.Pattern[str]:
    """What a sentence of this template looks like. A place in quotes holds no quote, ``number`` only digits; the noun
    behind a number may stand for one.
    """
    pieces = _PLACE.split(template)
    found = ""
    for at, piece in enumerate(pieces):
        quoted = pieces[at - 1].endswith("“")
        filling = "[^“”]+" if quoted else r"[\d.,]+" if piece == "number" else ".+"
        found += f"(?P<{piece}>{filling})" if at % 2 else _NOUN.sub(r"\1\\w{1,3}", re.escape(piece))
    return re.compile(found)


@lru_cache(maxsize=4)
def entries_of(language: str) -> dict[str, dict[str, str]]:
    """The entries of a language by their section; empty if it has none."""
    path = (FOLDER / language).with_suffix(".json")
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def register() -> None:
    """Gives Blender the texts of each language."""
    known = {
        file.stem: {
            (context, text): translated
            for section, entries in entries_of(file.stem).items()
            if section in ("interface", "settings")
            for text, translated in entries.items()
            for context in CONTEXTS
        }
        for file in FOLDER.glob("*.json")
    }
    bpy.app.translations.register(choices.ADDON, known)


def unregister() -> None:
    """Takes the texts back."""
    bpy.app.translations.unregister(choices.ADDON)
