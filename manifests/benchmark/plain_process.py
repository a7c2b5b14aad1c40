# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs in the sealed process of ``plain_bpy``: opens the copy, executes the script as it is, saves what came of it."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import traceback
from pathlib import Path
from typing import Any

RESULT = "result.blend"
LINES = 3


def execute(job: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Executes the script; returns the report."""
    import bpy

    try:
        exec(compile(job["code"], "<script>", "exec"), {"__name__": "__main__"})
    except BaseException:  # also SystemExit: the script does not end its process
        text = " | ".join(traceback.format_exc().strip().splitlines()[-LINES:])
        return {"status": "error", "messages": [{"severity": "error", "code": "execution_failed", "text": text}]}
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / RESULT), copy=True, check_existing=False)
    return {"status": "done", "messages": []}


def main() -> None:
    job = json.loads(Path(sys.argv[-1]).read_text(encoding="utf-8"))
    if not job["sealed"]:
        raise SystemExit("scripts of models run inside the sandbox only")
    sys.path += [entry for entry in job["path"] if entry not in sys.path]
    file = Path(job["package"]) / "run" / "dry_run" / "process.py"
    spec = importlib.util.spec_from_file_location("process", file)
    if spec is None or spec.loader is None:
        raise SystemExit(f"there is no {file}")
    process = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(process)
    process.limit_time(job["seconds"])
    folder = process.opened(job).parent
    process.write_report(job, execute(job, folder))
    # Some builds of Blender hang while the interpreter shuts down; everything is written by now.
    os._exit(0)


if __name__ == "__main__":
    main()
