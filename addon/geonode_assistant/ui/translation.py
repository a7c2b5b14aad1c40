# SPDX-License-Identifier: GPL-3.0-or-later
"""The words of the interface in Blender's language. The sources are English; a file in ``data/languages`` has the
entries of one language: ``interface`` and ``settings`` what the add-on says, ``core`` and ``presets`` templates of
sentences that the core has composed, ``things`` what fills places of those, ``causes`` and ``fixes`` what each code of
the registry means for an artist, ``titles`` names of presets, ``sliders`` those of their inputs, ``singulars`` the
nouns behind their numbers where that is one, ``signs`` its quotes.

Blender translates plain texts of labels, buttons, properties and tooltips itself, once they are registered. A sentence
with places is one whole entry, filled by ``say``; a sentence of the core is recognized by its template in ``told``, and
where it is not, the code that stands beside it says what it means (``told_of``).
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

import bpy

from ..messages import AssistantError
from ..run import choices
from .wording import sentences

FOLDER = Path(__file__).parent.parent / "data" / "languages"
# Blender asks for the texts of buttons in a context of their own.
CONTEXTS = ("*", "Operator")
# Sections of sentences that are recognized, not looked up.
TEMPLATES = ("core", "presets")
# Sections of texts that are looked up whole.
WHOLE = ("interface", "settings", "titles", *TEMPLATES)
# Sections whose texts Blender is given. It takes them for its own too, so there are no single common words among them.
REGISTERED = ("settings", "interface")
# Places whose fillings are words of the core themselves, not names and numbers.
TOLD = ("kind", "list", "reason", "time")
# The place whose filling is a list of inputs, each with its value.
VALUES = "values"
_PLACE = re.compile(r"\{(\w+)\}")
# What “copies” and “copy”, “leaves” and “leaf” have in common.
_NOUN = re.compile(r"^(\\ \w+?)(?:ies|ves|es|s)\b")
_MEASURE = re.compile(r"-?\d+\.\d+ ?(?:m|cm|mm|km|s|°|%)")
_COUNTED = re.compile(r"\{(\w+)\} (\w+)")


def say(text: str, /, **places: object) -> str:
    """A text in the language of the interface; ``places`` fill its places of these names."""
    translated = bpy.app.translations.pgettext_iface(text)
    if not places:
        return translated
    spoken = language()
    return translated.format(**{n: _signed(v, spoken) if isinstance(v, str) else v for n, v in places.items()})


def about(text: str) -> str:
    """What Blender itself says about something, in the language of the interface."""
    return bpy.app.translations.pgettext_tip(text)


def named(text: str) -> str:
    """The name of an input, in the language of the interface: that of a preset's, or of one of Blender's own."""
    return entries_of(language()).get("sliders", {}).get(text) or say(text)


def told(text: str) -> str:
    """A sentence that the core or another part composed in English, in the language of the interface; as it is where
    nobody has translated it.
    """
    return told_in(text, language())


def told_of(code: str, text: str, hint: str = "") -> tuple[str, ...]:
    """A message of this code and its hint, in the language of the interface: what happened, what to do about it, and,
    where only its code is known in that language, the message itself.
    """
    return told_of_in(code, text, hint, language())


def told_error(error: BaseException) -> str:
    """``told_of`` any exception, as one text."""
    known = AssistantError.of(error)
    return " ".join(told_of(known.code, known.message, known.hint or ""))


def language() -> str:
    """The language of the interface, such as ``de``."""
    preferences: Any = bpy.context.preferences
    return bpy.app.translations.locale[:2] if preferences.view.use_translate_interface else "en"


@lru_cache(maxsize=256)
def told_of_in(code: str, text: str, hint: str, language: str) -> tuple[str, ...]:
    """``told_of`` in this language."""
    known = entries_of(language)
    cause, fix = known.get("causes", {}).get(code, ""), known.get("fixes", {}).get(code, "")
    if not cause or _is_known(text, language):
        shown = fix if fix and hint and not _is_known(hint, language) else told_in(hint, language)
        return tuple(part for part in (told_in(text, language), shown) if part)
    return cause, fix, say("In English: {words}", words=text)


@lru_cache(maxsize=512)
def told_in(text: str, language: str) -> str:
    """``told`` in this language, such as ``de``."""
    if not entries_of(language):
        return text
    whole = _recognized(text, language)
    return whole or " ".join(_recognized(piece, language) or piece for piece in sentences(text)) or text


def _is_known(text: str, language: str) -> bool:
    """Whether all of a text has entries in this language."""
    return _recognized(text, language) is not None


def _recognized(text: str, language: str) -> str | None:
    """A text that is an entry of this language, of the form of one, or made of such sentences; None for any other."""
    known = entries_of(language)
    for section in WHOLE:
        found = known.get(section, {}).get(text)
        if found is not None:
            return found
    if text in _templates(language):
        return _templates(language)[text]
    pieces = sentences(text)
    if len(pieces) > 1:
        # First, since a place of a template may hold whole sentences.
        told = [_recognized(piece, language) for piece in pieces]
        if all(told):
            return " ".join(filter(None, told))
    for pattern, translated in _patterns(language):
        match = pattern.fullmatch(text)
        if match:
            return _counted(translated, match.groupdict(), language).format(
                **{name: _filling(name, value, language) for name, value in match.groupdict().items()}
            )
    return None


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
    """What fills a place: as it is with the quotes of the language, but words of the core may be entries themselves."""
    if name in TOLD:
        return ", ".join(told_in(entry, language) for entry in value.split(", "))
    if name == VALUES:
        value = ", ".join(_titled(entry, language) for entry in value.split(", "))
    value = entries_of(language).get("things", {}).get(value, value)
    # A name may be a number too, but hardly one with a unit.
    return _signed(value.replace(".", ",") if _MEASURE.fullmatch(value) else value, language)


def _titled(entry: str, language: str) -> str:
    """A value behind the name of its input, such as `count 40`, with the name that its slider has."""
    known, words = entries_of(language).get("sliders", {}), entry.split(" ")
    for count in range(len(words) - 1, 0, -1):
        name = " ".join(words[:count]).capitalize()
        if name in known:
            return " ".join([known[name], *words[count:]])
    return entry


def _signed(value: str, language: str) -> str:
    """A text with the quotes of the language."""
    signs = entries_of(language).get("signs", {})
    return "".join(signs.get(sign, sign) for sign in value) if signs else value


@lru_cache(maxsize=4)
def _templates(language: str) -> dict[str, str]:
    """The templates of a language and, of those with several sentences, each sentence, since it may be shown alone."""
    known = entries_of(language)
    whole = {text: translated for section in TEMPLATES for text, translated in known.get(section, {}).items()}
    back = {own: sign for sign, own in known.get("signs", {}).items()}
    single: dict[str, str] = {}
    for text, translated in whole.items():
        # Divided with the quotes of the sources, since a closing one may be an opening one there.
        plain = "".join(back.get(sign, sign) for sign in translated)
        ours, theirs = sentences(text), [_signed(piece, language) for piece in sentences(plain)]
        if len(ours) == len(theirs):
            pairs = dict(zip(ours, theirs, strict=True))
            if all(sorted(_PLACE.findall(one)) == sorted(_PLACE.findall(two)) for one, two in pairs.items()):
                single |= pairs
    return single | whole


@lru_cache(maxsize=4)
def _patterns(language: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    entries = _templates(language)
    # What says most by itself comes first: “Add {kind} “{name}”” also looks like an input that is added.
    templates = sorted(filter(_PLACE.search, entries), key=lambda text: -len(_PLACE.sub("", text)))
    return tuple((pattern_of(template), entries[template]) for template in templates)


def pattern_of(template: str) -> re.Pattern[str]:
    """What a sentence of this template looks like. A place in quotes holds no quote, ``number`` only digits, the last
    one no full stop; the noun behind a number may stand for one.
    """
    pieces = _PLACE.split(template)
    found = ""
    for at, piece in enumerate(pieces):
        quoted = pieces[at - 1].endswith("“")
        # Words of the core end with their sentence.
        plain = r"(?:(?![.!?] ).)+" if piece in TOLD else ".+" if any(pieces[at + 1 :]) else ".*[^.!?]"
        filling = "[^“”]+" if quoted else r"[\d.,]+" if piece == "number" else plain
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
            for section in REGISTERED
            for text, translated in entries_of(file.stem).get(section, {}).items()
            for context in CONTEXTS
        }
        for file in FOLDER.glob("*.json")
    }
    bpy.app.translations.register(choices.ADDON, known)


def unregister() -> None:
    """Takes the texts back."""
    bpy.app.translations.unregister(choices.ADDON)
