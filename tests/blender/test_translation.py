# SPDX-License-Identifier: GPL-3.0-or-later
"""Sentences that the core composes, in the language of the interface."""

from __future__ import annotations

import pytest
from geonode_assistant.ui import gallery, translation

SENTENCES = {
    "Adds the modifier “Scatter” to “Plane”: 24 nodes, 9 inputs.": (
        "Fügt „Plane“ den Modifikator „Scatter“ hinzu: 24 Nodes, 9 Eingänge."
    ),
    "Changes the tree “A, B”: 1 node added, 2 links changed.": (
        "Ändert den Baum „A, B“: 1 Node hinzugefügt, 2 Verknüpfungen geändert."
    ),
    "Scattered 20 copies of “Rock” over “Cube”.": "20 Kopien von „Rock“ über „Cube“ verstreut.",
    "Scattered 1 copy of “Rock” over “Cube”.": "1 Kopie von „Rock“ über „Cube“ verstreut.",
    "Scattered up to 20 copies of built-in cone over “Cube”.": (
        "Bis zu 20 Kopien von Kegel (eingebaut) über „Cube“ verstreut."
    ),
    "Cut 1 hole of 0.5 m through “Cube”, on a ring with a radius of 0 m, where it is thinnest.": (
        "1 Loch von 0,5 m durch „Cube“ geschnitten, auf einem Ring mit Radius 0 m, wo es am dünnsten ist."
    ),
    "The prompt does not say which object it is about. Suitable objects: A, B. Name one, or select it.": (
        "Der Auftrag sagt nicht, um welches Objekt es geht. Geeignete Objekte: A, B. Bitte eines nennen oder auswählen."
    ),
    "“Scatter” of “Plane” now has: Count 50. Its other values stay as they are.": (
        "„Scatter“ von „Plane“ hat jetzt: Anzahl 50. Seine anderen Werte bleiben, wie sie sind."
    ),
    # Names are names, though presets and their inputs are called the same.
    "The prompt does not say which object it is about. Suitable objects: Stairs, Text. Name one, or select it.": (
        "Der Auftrag sagt nicht, um welches Objekt es geht. Geeignete Objekte: Stairs, Text. "
        "Bitte eines nennen oder auswählen."
    ),
    "“make it odd” is no change of the last result, “Scatter” of “Cube”, that the built-in planner understands, and no "
    "preset fits it as something new. Nothing was changed. What can be changed there: count, keep surface (on or off). "
    "Name one of them and its value, or ask for something new.": (
        "„make it odd“ ist keine Änderung des letzten Ergebnisses, „Scatter“ von „Cube“, die der eingebaute Planer "
        "versteht, und als etwas Neues passt keine Vorgabe dazu. Nichts wurde geändert. Was sich dort ändern lässt, "
        "mit den Wörtern, die der Planer liest: count, keep surface (on or off). Bitte eines davon und seinen Wert "
        "nennen oder etwas Neues verlangen."
    ),
    # Each of its sentences is shown alone, too.
    "“Scatter” of “Cube” now has: count 50.": "„Scatter“ von „Cube“ hat jetzt: Anzahl 50.",
    "Its other values stay as they are.": "Seine anderen Werte bleiben, wie sie sind.",
    "Word it like one of the presets, or choose a language model.": (
        "Wie eine der Vorgaben formulieren, oder ein Sprachmodell wählen."
    ),
    "Name it, e.g. “scatter 200 rocks on the plane”.": "Bitte nennen, zum Beispiel „scatter 200 rocks on the plane“.",
    "Create the node group “Scatter”": "Die Node-Gruppe „Scatter“ anlegen",
    "Sets 2 inputs of the modifier “Scatter” of “Cube”.": "Setzt 2 Eingänge des Modifikators „Scatter“ von „Cube“.",
    # A name may hold what looks like a place.
    "There is no object called “{tree}”.": "Es gibt kein Objekt namens „{tree}“.",
    "They overlap: each has about 5% of the room that it needs. Ask for fewer or smaller ones, or for more space.": (
        "Sie überlappen sich: Jedes hat etwa 5 % des nötigen Platzes. Weniger, kleinere oder mehr Platz verlangen."
    ),
    # What nobody has translated stays as it is, beside what somebody has.
    "Placed it. Nothing of yours changes.": "Placed it. Nichts von Ihnen ändert sich.",
    "Done.": "Fertig.",
    # Operations of a plan: what says most by itself is tried first.
    "Add Set Position “move”": "Set Position „move“ hinzufügen",
    "Add the input “Density” (10)": "Eingang „Density“ hinzufügen (10)",
    "Keep or change the output “Geometry”": "Ausgang „Geometry“ behalten oder ändern",
    "Link scatter.Points to out.Geometry": "scatter.Points mit out.Geometry verbinden",
    "Set Scale of “scatter” to [1, 1, 2]": "Scale von „scatter“ auf [1, 1, 2] setzen",
    "Add the modifier if it does not exist": "Den Modifikator hinzufügen, falls es ihn nicht gibt",
    "“Cube”: Size from 1 m to 2 m": "„Cube“: Size von 1 m auf 2 m",
    # What a model says is no change of a tree.
    "“Cube”: Size from 1 m to 2 m.": "“Cube”: Size from 1 m to 2 m.",
    "It runs a script of 1 line. It removes data in line 3: x.remove(y).": (
        "Führt ein Skript von 1 Zeile aus. Entfernt Daten in line 3: x.remove(y)."
    ),
    "Subdivision Surface at Level 12 makes about 400 million vertices. That will take about 2 minutes and 3 GB.": (
        "Subdivision Surface at Level 12 macht etwa 400 million vertices. Das wird etwa 2 Minuten und 3 GB brauchen."
    ),
}
MESSAGES = (
    # Its words are known.
    (
        ("auth_failed", "api.example refuses the key (HTTP 401). Check the key and its permissions.", ""),
        ["api.example lehnt den Schlüssel ab (HTTP 401). Den Schlüssel und seine Rechte prüfen."],
    ),
    (
        ("run_in_progress", "Another run is still under way.", "Wait until it ends, or cancel it, then send again."),
        ["Ein anderer Auftrag läuft noch.", "Warten, bis er endet, oder ihn abbrechen."],
    ),
    # Only its code is.
    (
        ("disk_full", "/home/a/b.json: No space left on device", ""),
        [
            "Auf dem Datenträger ist kein Platz mehr.",
            "Platz schaffen und noch einmal versuchen.",
            "In English: /home/a/b.json: No space left on device",
        ],
    ),
    # Not even that.
    (("extension_of_somebody", "It broke.", "Mend it."), ["It broke.", "Mend it."]),
    (("", "Nothing of yours changes.", ""), ["Nichts von Ihnen ändert sich."]),
)


@pytest.mark.parametrize("text", SENTENCES)
def test_sentences_of_the_core_are_recognized(text: str) -> None:
    assert translation.told_in(text, "de") == SENTENCES[text]
    assert translation.told_in(text, "en") == text


@pytest.mark.parametrize(("message", "shown"), MESSAGES)
def test_a_message_nobody_translated_is_told_by_its_code(message: tuple[str, str, str], shown: list[str]) -> None:
    assert list(translation.told_of_in(*message, "de")) == shown
    assert list(translation.told_of_in(*message, "en")) == [part for part in message[1:] if part]


def test_values_are_told_by_the_names_of_their_sliders() -> None:
    text = "“Scatter” of “Cube” now has: rocks, count 40, minimum distance 0.2 m, no such input 3."
    told = translation.told_in(f"{text} Its other values stay as they are.", "de")
    assert "hat jetzt: rocks, Anzahl 40, Mindestabstand 0.2 m, no such input 3." in told


def test_a_place_may_hold_anything() -> None:
    said = translation.say("Made “{modifier}” on “{object}”.", modifier="{object}", object="%s")
    assert said == "Made “{object}” on “%s”."


def test_quotes_are_those_of_the_language(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(translation, "language", lambda: "de")
    assert translation.say("Not used: {words}.", words="“a”, “b”").endswith("„a“, „b“.")
    assert translation.named("Scale Min") == "Min. Skalierung"
    assert translation.named("Somebody's own") == "Somebody's own"


def test_the_interface_is_english_where_blender_is() -> None:
    assert translation.told("Nothing of yours changes.") == "Nothing of yours changes."


def test_presets_are_named_and_found_in_the_language(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gallery, "told", lambda text: translation.told_in(text, "de"))
    mine = gallery.Preset("mine", "Stairs", "", own=True)
    ours = [gallery.Preset(title.lower(), title, "", makes=True) for title in ("Stairs", "Tree", "Gear", "Not Yet")]
    monkeypatch.setattr(gallery, "loaded", [mine, *ours])
    assert mine.shown == "Stairs", "a name that somebody typed"
    assert [preset.shown for preset in gallery.offered("", "", ())] == ["Baum", "Not Yet", "Treppe", "Zahnrad"]
    assert [p.id for p in gallery.offered("", "treppe", ())] == [p.id for p in gallery.offered("", "stairs", ())]
