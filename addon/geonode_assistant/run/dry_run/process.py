# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs in the other process of a dry run: opens the copy, applies the plan with the add-on's own code, writes a report.
Or it takes a picture of the copy.

It limits itself as far as the system allows, so that it ends even if the first process no longer watches it.
"""

from __future__ import annotations

import contextlib
import faulthandler
import importlib.util
import itertools
import json
import os
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

NAME = "geonode_assistant"
PICTURE = "picture.png"
FILE_BYTES = 64 << 20
PRINTED_LINES = 10
# Seconds after the limit of the process that watches.
GRACE_S = 5


def limit_time(seconds: int) -> None:
    """Starts a watchdog that ends this process without its cooperation; where the system can, so does the end of the
    first process.
    """
    faulthandler.dump_traceback_later(seconds + GRACE_S, exit=True)
    if sys.platform == "linux":
        _end_with_parent()
    with contextlib.suppress(ImportError):
        import resource

        _lower(resource.RLIMIT_FSIZE, FILE_BYTES)
        _lower(resource.RLIMIT_CORE, 0)


def limit_memory(megabytes: int) -> None:
    """Lets the memory in use grow by so much; on systems without such a limit only the watching process checks it.

    To be called when everything is loaded: Blender's libraries reserve far more address space than they use.
    """
    if sys.platform == "linux":
        import resource

        _lower(resource.RLIMIT_AS, _address_space() + (megabytes << 20))


def _lower(kind: int, most: int) -> None:
    import resource

    _, hard = resource.getrlimit(kind)
    resource.setrlimit(kind, (most if hard < 0 else min(most, hard), hard))


def _address_space() -> int:
    return int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")


def _end_with_parent() -> None:
    import ctypes
    import signal

    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


def add_on(package: str) -> ModuleType:
    """Imports the add-on under its plain name from the folder of the first process, without registering it."""
    if NAME not in sys.modules:
        spec = importlib.util.spec_from_file_location(
            NAME, Path(package) / "__init__.py", submodule_search_locations=[package]
        )
        if spec is None or spec.loader is None:
            raise ImportError(f"There is no add-on in {package}.")
        module = importlib.util.module_from_spec(spec)
        sys.modules[NAME] = module
        spec.loader.exec_module(module)
    return sys.modules[NAME]


def try_plan(job: dict[str, Any]) -> dict[str, Any]:
    """Applies the plan to the copy; returns the part of the run's report that the artist is shown."""
    started = time.monotonic()
    blend = opened(job)
    from geonode_assistant import native
    from geonode_assistant.host import census, mainfile
    from geonode_assistant.run import driver, measure, script_steps
    from geonode_assistant.run.bridge import BlenderHost
    from geonode_assistant.run.driver import RunHandle
    from geonode_assistant.run.recordings import Recordings

    core = native.core()
    # Here is the trial that it asks for.
    request = {"prompt": "", "provider": "offline", "approve": "all", "settings": {"try_scripts": "never"}}
    recordings = Recordings(frozenset(job["without_users"]), job["situation"]) if job["sealed"] else None
    results: list[Any] = []

    def apply() -> tuple[Any, RunHandle, census.Names]:
        before = census.census()
        core_run = core.Run({**request, **{key: job[key] for key in ("catalogue", "plan", "exact")}})
        handle = RunHandle(core_run, BlenderHost(on_copy=True, recordings=recordings, results=results))
        report = driver.drive(handle)
        return report, handle, census.difference(before, census.census())

    def again() -> census.Names | None:
        mainfile.open_file(blend)
        report, _, names = apply()
        return names if report.status == "done" else None

    report, handle, names = apply()
    made = list(measure.describe(handle.evidence or {"objects": []}))
    took = round(time.monotonic() - started, 2)
    result = {
        "status": report.status,
        "seconds": took,
        "peak_mb": peak_mb(),
        "gates": report.gates,
        "messages": report.messages,
        "diff": report.diff,
        "names": names,
        "said": [*printed(results), *itertools.chain(*map(script_steps.remarks, results))],
        "made": made,
    }
    if recordings is not None and report.status == "done":
        # Should Blender not survive the comparison, the script has passed all the same.
        write_report(job, result)
        recordings.compare(names, again)
        result |= {"records": recordings.records, "unrecorded": recordings.reasons}
    return result


def take_picture(job: dict[str, Any]) -> dict[str, Any]:
    """Takes the picture; returns how it was made."""
    file = opened(job).with_name(PICTURE)
    from geonode_assistant.host import picture

    wanted = job["picture"]
    if "scene" in wanted:
        made = picture.through_camera(wanted["scene"], file, wanted["size"])
    else:
        picture.render(wanted["object"], file, wanted["size"], wanted["view"], ("CYCLES",))
        made = {}
    return {"status": "done", "picture": made}


def opened(job: dict[str, Any]) -> Path:
    """Opens the copy, inside the sandbox where there is one; returns where it lies."""
    add_on(job["package"])
    from geonode_assistant import native
    from geonode_assistant.host import mainfile

    blend = Path(job["blend"])
    if job["sealed"]:
        # Before anything that others wrote is read, and so with room for the file itself.
        native.core().seal_this_process(job["megabytes"] + 2 * (blend.stat().st_size >> 20))
    mainfile.open_file(blend)
    if not job["sealed"]:
        limit_memory(job["megabytes"])
    return blend


def write_report(job: dict[str, Any], report: dict[str, Any]) -> None:
    """Writes the report, whole or not at all; a later one replaces it."""
    path = Path(job["report"])
    draft = path.with_suffix(".draft")
    draft.write_text(json.dumps(report), encoding="utf-8")
    os.replace(draft, path)


def printed(results: Iterable[Any]) -> list[str]:
    """What scripts said."""
    said = (one.stdout.strip() or f"Ran in {one.duration_ms:.0f} ms" for one in results)
    return [f"Printed: {line}" for text in said for line in text.splitlines()[:PRINTED_LINES]]


def peak_mb() -> int:
    """The peak memory of this process in megabytes; 0 where Python cannot measure it."""
    try:
        import resource
    except ImportError:
        return 0
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used >> 20 if sys.platform == "darwin" else used >> 10


def main() -> None:
    """Carries out the job whose file is the last argument."""
    job = json.loads(Path(sys.argv[-1]).read_text(encoding="utf-8"))
    sys.path += [entry for entry in job["path"] if entry not in sys.path]
    limit_time(job["seconds"])
    try:
        report = take_picture(job) if "picture" in job else try_plan(job)
    except MemoryError:
        report = _failure("dry_run_memory", "The dry run needs more memory than it may use.")
    except Exception as error:
        report = _failure(getattr(error, "code", "internal_error"), f"{type(error).__name__}: {error}")
    write_report(job, report)
    # Some builds of Blender hang while the interpreter shuts down; everything is written by now.
    os._exit(0)


def _failure(code: str, text: str) -> dict[str, Any]:
    return {"status": "error", "messages": [{"severity": "error", "code": code, "text": text}]}


if __name__ == "__main__":
    main()
