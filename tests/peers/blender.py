# SPDX-License-Identifier: GPL-3.0-or-later
"""A headless Blender that lets other programs in: started by the tests of peers, in the environment of a Blender.

    python tests/peers/blender.py FOLDER [fixtures]

saves a file with a grid in FOLDER, starts the server, prints one line of JSON (``url, token, pid, agents``) and carries
out calls until its standard input closes. The artist of this Blender agrees to every change, except while a file called
``reject`` lies in FOLDER; while one called ``wait`` lies there, nobody answers.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from pathlib import Path

import bpy
import fixtures
from geonode_assistant.agents.server import Programs
from geonode_assistant.host import folders
from geonode_assistant.run import session


def main() -> None:
    """Serves until standard input closes."""
    folder = Path(sys.argv[1])
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.mesh.primitive_grid_add()
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "peers.blend"))
    if "fixtures" in sys.argv:
        fixtures.add()
    programs = Programs()
    programs.start()
    if programs.error is not None:
        raise SystemExit(f"the server did not start: {programs.error.message}")
    found = json.loads((folders.own_folder() / "agents" / f"{os.getpid()}.json").read_text())
    found["agents"] = str(folders.own_folder() / "agents")
    found["command"] = json.loads(programs.command())["mcpServers"]["blender"]
    print(json.dumps(found), flush=True)
    closed = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), closed.set()), daemon=True).start()
    while not closed.is_set():
        programs.tick()
        session.current.poll()
        if not (folder / "wait").exists():
            agrees = not (folder / "reject").exists()
            for request, _ in session.current.pending:
                session.current.decide(request, agrees)
            programs.decide(agrees)
        time.sleep(0.002)
    programs.stop()
    # Some of Blender's modules hang while Python shuts down.
    os._exit(0)


if __name__ == "__main__":
    main()
