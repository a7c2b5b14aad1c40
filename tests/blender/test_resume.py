# SPDX-License-Identifier: GPL-3.0-or-later
"""A run that is saved in one Blender, which is then killed, and resumed in another with the file from the disk."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import whole_file
from commands import PATIENCE_S, environment
from whole_file import empty, fresh_scene, lift, plan

SCRIPT = {
    "id": "script",
    "type": "PYTHON",
    "description": "Move it",
    "payload": {"code": "import bpy\n\nbpy.data.objects['Plane'].location.x += 1\nbpy.data.materials.new('Made')\n"},
}
HIGHER = {"op": "set_input_default", "node_id": "up", "socket": "Translation", "value": [0, 0, 7]}

RUNS: dict[str, tuple[list[Any], str]] = {
    "plain": ([plan(*lift())], "none"),
    "asks": ([plan(*lift(), step={"requires_approval": True})], "ask"),
    "script": ([plan(*lift()) | {"steps": [SCRIPT, *plan(*lift())["steps"]]}], "ask"),
    "better each time": (["no plan", plan(*empty()), plan(*lift())], "none"),
    "two turns": ([plan(*lift(), done=False), plan(HIGHER)], "none"),
}

# Saves the run before and after each poll, and kills the process before the run would be committed.
FIRST = """
import json, os, signal, sys
from pathlib import Path
import bpy
from geonode_assistant import api
blend, folder, replies, approve = sys.argv[1:]
bpy.ops.wm.open_mainfile(filepath=blend)
handle = api.start("lift", object="Plane", provider="replay", replies=json.loads(replies), approve=approve,
    settings={"try_scripts": "never"})
count = 0
def save():
    global count
    saved = handle.save()
    (Path(folder) / f"{count:03}.json").write_text(json.dumps(saved))
    count += 1
def die(*_):
    save()
    os.kill(os.getpid(), signal.SIGKILL)
handle.host.commit = die
save()
while not handle.finished:
    handle.wait(50)
    save()
    handle.poll(0)
    save()
    for request in list(handle.pending):
        handle.approve(request)
        handle.wait(50)
        save()
"""

SECOND = """
import json, os, sys
from pathlib import Path
import bpy
sys.path.insert(0, sys.argv[4])
import whole_file
from geonode_assistant import api
from geonode_assistant.run import driver
blend, folder, approve = sys.argv[1:4]
for path in sorted(Path(folder).glob("[0-9]*.json")):
    bpy.ops.wm.open_mainfile(filepath=blend)
    saved = json.loads(path.read_text())
    handle = api.resume(saved, approve=(lambda request: "approved") if approve == "ask" else None)
    report = driver.drive(handle, timeout_s=60)
    result = {"phase": saved["state"]["phase"], "status": report.status, "state": whole_file.everything(),
              "codes": [m["code"] for m in report.messages]}
    path.with_name("result-" + path.name).write_text(json.dumps(result))
# Some builds of the bpy module hang or crash while the interpreter shuts down.
os._exit(0)
"""


def python(script: str, *arguments: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)],
        env=environment(),
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
    )


@pytest.mark.parametrize("name", RUNS)
def test_a_run_saved_in_any_phase_and_resumed_ends_as_if_undisturbed(tmp_path: Path, name: str) -> None:
    import bpy
    from geonode_assistant import api
    from geonode_assistant.run import driver

    replies, approve = RUNS[name]
    blend = tmp_path / "scene.blend"
    fresh_scene()
    bpy.ops.wm.save_as_mainfile(filepath=str(blend))
    folder = tmp_path / "saved"
    folder.mkdir()
    first = python(FIRST, blend, folder, json.dumps(replies), approve)
    assert first.returncode == -signal.SIGKILL, first.stderr.decode()
    second = python(SECOND, blend, folder, approve, Path(__file__).parent)
    assert second.returncode == 0, second.stderr.decode()

    bpy.ops.wm.open_mainfile(filepath=str(blend))
    chosen = (lambda request: "approved") if approve == "ask" else None
    untried = {"try_scripts": "never"}
    handle = api.start("lift", object="Plane", provider="replay", replies=replies, approve=chosen, settings=untried)
    plain = driver.drive(handle)
    assert plain.status == "done", plain.messages
    expected = json.loads(json.dumps(whole_file.everything()))

    results = [json.loads(path.read_text()) for path in sorted(folder.glob("result-*.json"))]
    phases = {json.dumps(result["phase"]).split('"')[1] for result in results}
    assert len(results) >= 6 and len(phases) >= 5 and "committing" in phases, phases
    for result in results:
        assert result["status"] == "done", result["codes"]
        assert result["state"] == expected, result["phase"]


def test_invalid_saved_runs_change_nothing() -> None:
    from geonode_assistant import api
    from geonode_assistant.messages import AssistantError, failure

    fresh_scene()
    before = whole_file.everything()
    for broken in ("", "{", "null", "[]", {}, {"request": None}, {"request": {"prompt": 1}}, {"request": {}}):
        with pytest.raises(Exception) as caught:
            api.resume(broken)  # type: ignore[arg-type]
        assert failure(caught.value)["code"] == "saved_run_invalid", broken
        assert isinstance(caught.value, AssistantError) or broken == {"request": {}}
    assert whole_file.everything() == before
