# SPDX-License-Identifier: GPL-3.0-or-later
"""Every text of the interface has an entry in every language, and every entry is used."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "addon" / "geonode_assistant"
LANGUAGES = sorted((PACKAGE / "data" / "languages").glob("*.json"))
PLACE = re.compile(r"\{(\w*)\}")
# A text: a word that begins like a sentence or a title, or several words.
TEXT = re.compile(r"[A-Z][a-z]|.*[a-z] [a-z“(]|.*… ")
# Texts of the interface that are no words of it: names of Blender's and of the core.
NO_WORDS = {
    "GeometryNodeTree",
    "Operator",
    "gate causes",
    "GeoNode AI Assistant is registered already",
}
# Lines of the log, which is read by whoever helps, names of files, and words for the planner.
GLUED = {
    "f'Prompt: {view.prompt}'",
    "f'Plan: {view.prompt}'",
    "f'geonode_history{ENDING}'",
    "f'geonode_log{ENDING}'",
    "f'Change it: {words}'",
}


def strings(tree: ast.AST) -> Iterator[str]:
    """The strings of a module that are no documentation; that of an operator is its tooltip."""
    silent: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            silent.update(ast.walk(node))
        body = getattr(node, "body", None)
        for at, line in enumerate(body if isinstance(body, list) else []):
            if isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant):
                names = [ast.unparse(base) for base in getattr(node, "bases", [])]
                has_other = any("bl_description" in ast.unparse(other).split(" = ")[0] for other in body)
                if at or "bpy.types.Operator" not in names or has_other:
                    silent.add(line.value)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in silent:
            yield node.value


@cache
def modules(folder: str) -> list[ast.Module]:
    return [ast.parse(path.read_text(encoding="utf-8")) for path in sorted((PACKAGE / folder).rglob("*.py"))]


@cache
def shown() -> frozenset[str]:
    """Texts that the interface shows."""
    found = {text for tree in modules("ui") for text in strings(tree) if TEXT.match(text)} - NO_WORDS
    for tree in (*modules("ui"), *modules("host")):
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "say":
                found |= {c.value for c in ast.walk(node.args[0]) if isinstance(c, ast.Constant) and str(c.value)[1:]}
    assert len(found) > 300, f"only {len(found)} texts were examined"
    return frozenset(found)


@cache
def offered() -> frozenset[str]:
    """Titles and tooltips of the settings."""
    tree = ast.parse((PACKAGE / "run" / "offers.py").read_text(encoding="utf-8"))
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("Choice", "Preference"):
            named = [keyword.value for keyword in node.keywords if keyword.arg in ("title", "about")]
            found |= {text.value for text in [*node.args[1:3], *named] if isinstance(text, ast.Constant)}
    assert len(found) > 90, f"only {len(found)} texts were examined"
    return frozenset(found)


def done(value: object) -> Iterator[str]:
    """What presets say that they did."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for part in parts:
        yield from done(part)
    for line in value.get("done", ()) if isinstance(value, dict) else ():
        yield line if isinstance(line, str) else line["text"]


def entries(path: Path) -> dict[str, dict[str, str]]:
    return json.loads(path.read_text(encoding="utf-8"))


def test_there_is_german() -> None:
    assert "de" in [path.stem for path in LANGUAGES]


def test_every_text_has_an_entry() -> None:
    for path in LANGUAGES:
        known = entries(path)
        assert sorted(shown() - known["interface"].keys()) == [], path.name
        assert sorted(offered() - known["settings"].keys() - known["interface"].keys()) == [], path.name


def test_what_every_preset_says_has_an_entry() -> None:
    files = sorted((ROOT / "rust" / "planner" / "presets").glob("*.toml"))
    texts = [text for path in files for text in done(tomllib.loads(path.read_text(encoding="utf-8")))]
    said = {sentence for text in texts for sentence in re.split(r"(?<=\.) (?=[A-Z“{])", text)}
    assert len(said) > 100
    for path in LANGUAGES:
        known = entries(path)["presets"].keys()
        assert (sorted(said - known), sorted(known - said)) == ([], []), path.name


def codes() -> dict[str, str]:
    """The section of each code of the registry."""
    text = (ROOT / "rust" / "protocol" / "src" / "codes" / "registry.rs").read_text(encoding="utf-8")
    found, section = {}, ""
    for line in text.splitlines():
        if head := re.fullmatch(r'    "([a-z ]+)" \{', line):
            section = head[1]
        elif code := re.match(r' {8}[A-Za-z]+ = "(\w+)" => ', line):
            found[code[1]] = section
    assert len(found) > 200, f"only {len(found)} codes were read"
    return found


def said(name: str) -> set[str]:
    """The codes that a constant of wording.py names."""
    tree = ast.parse((PACKAGE / "ui" / "wording.py").read_text(encoding="utf-8"))
    (value,) = (n.value for n in tree.body if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == name)
    keys = value.keys if isinstance(value, ast.Dict) else ast.walk(value)
    return {key.value for key in keys if isinstance(key, ast.Constant)}


def test_every_code_that_an_artist_meets_has_its_meaning() -> None:
    """Mistakes of plans are told in sentences of the interface; all other messages are shown with their own words."""
    of_plans, of_scene = said("OF_PLANS"), said("OF_SCENE")
    met = {code for code, section in codes().items() if section not in of_plans or code in of_scene}
    assert of_plans <= set(codes().values()) and of_scene <= codes().keys() and len(met) > 100
    for path in LANGUAGES:
        known = entries(path)
        for part in ("causes", "fixes"):
            assert (sorted(met - known[part].keys()), sorted(known[part].keys() - met)) == ([], []), (path.name, part)


def test_titles_are_those_of_presets() -> None:
    files = sorted((ROOT / "rust" / "planner" / "presets").glob("*.toml"))
    heads = [tomllib.loads(path.read_text(encoding="utf-8")) for path in files]
    titles = {head["title"] for head in heads if "plan" in head}
    assert len(titles) > 80
    for path in LANGUAGES:
        known = entries(path)["titles"].keys()
        assert sorted(known - titles) == [], path.name
        # A preset is named in English until somebody translates its name.
        assert len(titles & known) > 0.8 * len(titles), path.name


def test_inputs_are_those_of_presets() -> None:
    files = sorted((ROOT / "rust" / "planner" / "presets").glob("*.toml"))
    heads = [tomllib.loads(path.read_text(encoding="utf-8")) for path in files]
    parameters = [parameter for head in heads for parameter in head.get("parameters", ())]
    names = {parameter["title"] for parameter in parameters}
    # In the modifier they are called after their names: `scale_min` Scale Min.
    made = [parameter["name"] for parameter in parameters if parameter["kind"] != "derived"]
    names |= {" ".join(word[:1].upper() + word[1:] for word in name.split("_")) for name in made}
    assert len(names) > 300
    for path in LANGUAGES:
        known = entries(path)["sliders"].keys()
        assert (sorted(names - known), sorted(known - names)) == ([], []), path.name


def test_no_entry_is_left_over() -> None:
    used = {text for tree in modules("") for text in strings(tree)}
    sources = "\n".join(
        path.read_text(encoding="utf-8")
        for folder in (
            "rust/cost/src",
            "rust/engine/src",
            "rust/graph/src",
            "rust/planner/src",
            "rust/provider/src",
            "addon/geonode_assistant/host",
            "addon/geonode_assistant/run",
        )
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in (".rs", ".py")
    )
    for path in LANGUAGES:
        known = entries(path)
        assert sorted(known["interface"].keys() - used) == [], path.name
        assert sorted(known["settings"].keys() - offered()) == [], path.name
        # A sentence of the core has other names for its places there; counts and their nouns are put together.
        pieces = {piece.strip(" (.“”:") for text in known["core"] for piece in re.split(r"\{\w+\}%?|^1 |^1$", text)}
        whole = {piece for piece in pieces if len(re.findall(r"\w+", piece)) > 2}
        assert len(whole) > 20
        assert sorted(piece for piece in whole if piece not in sources) == [], path.name


def test_places_are_the_same() -> None:
    for path in LANGUAGES:
        for section, texts in entries(path).items():
            for text, translated in texts.items():
                if text in shown() or section in ("core", "presets"):
                    assert sorted(PLACE.findall(text)) == sorted(PLACE.findall(translated)), (path.name, text)
                assert translated.strip() and "\n" not in translated, (path.name, text)
                assert text.endswith("…") == translated.endswith("…"), (path.name, text)


def test_no_text_is_glued_together() -> None:
    """A sentence with places is one whole entry, since words stand elsewhere in other languages."""
    glued = set()
    for tree in modules("ui"):
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                words = " ".join(part.value for part in node.values if isinstance(part, ast.Constant))
                if re.search(r"[a-z]{2}", words):
                    glued.add(ast.unparse(node))
    assert glued == GLUED
