# SPDX-License-Identifier: GPL-3.0-or-later
"""A key that is entered in the preferences is stored in the key store only."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path
from types import SimpleNamespace

import pytest
from geonode_assistant.messages import AssistantError
from geonode_assistant.ui import keys

ROOT = Path(__file__).parents[2]
KEY = "sk-test-0123456789-never-seen"

# A session in a separate Blender: enters a key, uses it, saves everything that can be saved.
SESSION = """
import json, os, sys
sys.path[:0] = [sys.argv[1], sys.argv[2]]
key, folder = sys.stdin.readline().strip(), sys.argv[3]
import bpy, geonode_assistant, geonode_core
bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=False)
from geonode_assistant import api
from geonode_assistant.run import driver, session
from geonode_assistant.ui import keys, preferences
from test_connection import model_server, answer
url, ended = model_server(answer("401 No", json.dumps({"error": {"message": "bad key " + key}})))
geonode_assistant.register()
addon = bpy.context.preferences.addons.new()
addon.module = "geonode_assistant"
kept = addon.preferences
kept.provider, kept.base_url, kept.model = "openai-compatible", url, "small"
kept.api_key = f"  {key} \\n"
assert kept.api_key == "", "Blender has nothing to store"
assert not keys.state.busy or keys.state.wait() is None
assert keys.state.error is None, keys.state.error
said = keys.describe(keys.state.place)
assert "keys.json" in said and "readable only by you" in said, said
outcome = api.test_connection()
assert outcome.code == "auth_failed", outcome
handle = api.start("scatter 5 cubes on the plane")
saved = handle.save()
report = driver.drive(handle)
assert report.status == "error" and "auth_failed" in str(report.to_dict())
print(repr(handle), repr(report), repr(outcome), repr(session.current.__dict__), repr(keys.state.__dict__), repr(kept))
with open(f"{folder}/everything.json", "w") as file:
    json.dump([saved, report.to_dict(), api.telemetry(), outcome.text, keys.state.place], file)
bpy.ops.wm.save_as_mainfile(filepath=f"{folder}/scene.blend", compress=False)
bpy.ops.wm.save_userpref()
preferences.remove_key()
keys.state.wait()
assert keys.state.place is None and keys.state.error is None
geonode_assistant.unregister()
ended.set()
print("the end", flush=True)
# Some builds of the bpy module hang while the interpreter shuts down.
geonode_core.audit_flush(10)
os._exit(0)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems always have a key store")
def test_a_key_is_stored_in_its_file_only(tmp_path: Path) -> None:
    home, out = tmp_path / "home", tmp_path / "out"
    for folder in (home, out):
        folder.mkdir()
    environment = {
        key: value for key, value in os.environ.items() if key not in ("DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR")
    }
    environment |= {
        "HOME": str(home),
        "GEONODE_ASSISTANT_HOME": str(home / "assistant"),
        "BLENDER_USER_RESOURCES": str(home / "blender"),
    }
    arguments = [str(ROOT / "addon"), str(ROOT / "tests/blender"), str(out)]
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(SESSION), *arguments],
        input=f"{KEY}\n",
        capture_output=True,
        text=True,
        env=environment,
        timeout=120,
    )
    assert "the end" in run.stdout, run.stdout + run.stderr
    assert KEY not in run.stdout + run.stderr
    written = [path for folder in (home, out) for path in folder.rglob("*") if path.is_file()]
    assert {"everything.json", "scene.blend", "userpref.blend"} <= {path.name for path in written}, written
    holding = [path for path in written if KEY.encode() in path.read_bytes()]
    assert not holding, "the key is nowhere else, and was removed from its file"


class Core:
    """A key store with a fixed place, or one that raises."""

    def __init__(self, place: dict | None = None, error: Exception | None = None) -> None:
        self.place, self.error, self.kept = place, error, []

    def key_place(self, *owner: str | None) -> dict | None:
        if self.error is not None:
            raise self.error
        return self.place

    def keep_key(self, provider: str, key: str, base_url: str | None) -> dict:
        self.kept.append((provider, key, base_url))
        self.key_place()
        return {"place": "system", "name": "The Keychain"}

    def remove_key(self, *_owner: str | None) -> bool:
        self.place = None
        return True


OWNER = keys.KeyOwner("openai", None, None)


def test_the_place_of_a_key_is_described() -> None:
    said = {
        "The key comes from the environment variable X": {"place": "environment", "variable": "X"},
        "The key is in the Keychain": {"place": "system", "name": "The Keychain"},
        "The key is in the file /k, not encrypted, readable only by you": {"place": "file", "path": "/k"},
        "No key found": None,
    }
    for words, place in said.items():
        assert keys.describe(place) == words
        state = keys.KeyState()
        state.find(Core(place), OWNER)
        state.wait()
        assert (state.place, state.stored) == (place, bool(place) and place["place"] != "environment")


def test_a_key_store_is_called_once_and_its_error_is_shown() -> None:
    state, core = keys.KeyState(), Core()
    state.find(core, OWNER)
    state.wait()
    state.find(SimpleNamespace(), OWNER)
    assert not state.busy, "the place is known already"
    state.store(core, OWNER, KEY)
    with pytest.raises(AssistantError):
        state.store(core, OWNER, KEY)
    state.wait()
    assert core.kept == [("openai", KEY, None)]
    assert keys.describe(state.place) == "The key is in the Keychain"
    state.remove(core, OWNER)
    state.wait()
    assert state.place is None
    core.error = AssistantError("key_store_refused", "The Keychain is locked.")
    state.store(core, OWNER, KEY)
    state.wait()
    assert state.error.message == "The Keychain is locked."
    assert KEY not in repr(state.__dict__)
