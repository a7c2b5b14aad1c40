# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the end-to-end manifests on many machines with Dask, and joins their reports.

    pip install dask distributed
    python manifests/farm.py --parts 8 -- --blender 5.2
    python manifests/farm.py --scheduler tcp://farm:8786 --checkout /shared/geonode --parts 64 -- --blender 5.2

Without ``--scheduler`` the workers are processes on this machine. Every part is one ``cargo xtask e2e --shard i/n``;
what follows ``--`` are its further arguments. A worker that dies loses nothing: its parts are run again elsewhere, and
each part counts once, whoever ran it. Workers need a checkout at the same path, with cargo; reports and pictures
travel through Dask, so that no folder need be shared.
"""

from __future__ import annotations

import argparse
import ctypes
import io
import json
import signal
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
E2E = ("cargo", "xtask", "e2e")
NOTHING = "has no manifest"
"""What a part says that none is left for."""
PATIENCE = 5
"""How many workers may die under one part before it is given up: then the part itself is what kills them."""


def _ends_with_its_worker() -> None:
    """On Linux the command ends when its worker does, so that a part that is run again has the machine for itself."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


def run_part(command: Sequence[str], folder: str, index: int, count: int) -> dict[str, Any]:
    """Runs one part on a worker; ``report`` is its folder as a zip file, None if it wrote no report."""
    with tempfile.TemporaryDirectory(prefix="geonode-part-") as out:
        done = subprocess.run(
            [*command, "--shard", f"{index}/{count}", "--out", out],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            preexec_fn=_ends_with_its_worker,
            check=False,
        )
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in sorted(Path(out).rglob("*")):
                if file.is_file():
                    archive.write(file, file.relative_to(out))
        there = (Path(out) / "report.json").is_file()
    tail = done.stdout.decode("utf-8", "replace")[-4000:]
    return {"index": index, "status": done.returncode, "printed": tail, "report": packed.getvalue() if there else None}


def gather(
    client: Any,
    command: Sequence[str],
    folder: str,
    count: int,
    out: Path,
    heard: Callable[[str], None] = print,
) -> list[Path]:
    """Runs all parts and unpacks each into ``out/parts/N``; the folders in order.

    Raises RuntimeError if a part has no report: nothing is joined that is not whole.
    """
    from distributed import as_completed

    if run_part.__module__ != "__main__":  # what the main file defines travels by itself
        client.upload_file(__file__)
    futures = [
        client.submit(run_part, list(command), folder, index, count, key=f"part-{index}-{id(out)}", pure=False)
        for index in range(1, count + 1)
    ]
    folders: dict[int, Path] = {}
    missing: list[str] = []
    empty = 0
    for future in as_completed(futures):
        number = futures.index(future) + 1
        error = future.exception()
        part = None if error else future.result()
        if part is not None and part["report"] is None and NOTHING in part["printed"]:
            heard(f"part {number}: there are fewer manifests than parts")
            empty += 1
            continue
        if part is None or part["report"] is None:
            missing.append(f"part {number}: {error or part['printed']}")
            continue
        target = out / "parts" / str(number)
        with zipfile.ZipFile(io.BytesIO(part["report"])) as archive:
            archive.extractall(target)
        folders[number] = target
        ran = len(json.loads((target / "report.json").read_text(encoding="utf-8"))["manifests"])
        heard(f"[{len(folders) + empty}/{count}] part {number}: {ran} manifests, status {part['status']}")
    if missing or not folders:
        raise RuntimeError("\n".join(missing) or "there are no manifests")
    return [folders[number] for number in sorted(folders)]


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--scheduler", metavar="ADDRESS", help="of a Dask cluster; otherwise processes on this machine")
    parser.add_argument("--checkout", default=str(ROOT), metavar="DIR", help="where the workers have the project")
    parser.add_argument("--parts", type=int, default=4)
    parser.add_argument("--workers", type=int, default=2, help="processes on this machine, without --scheduler")
    parser.add_argument("--out", type=Path, default=ROOT / "target" / "e2e")
    parser.add_argument("e2e", nargs="*", metavar="-- ARGUMENTS", help="of cargo xtask e2e")
    options = parser.parse_args(given)
    if options.parts < 1:
        parser.error("there must be a part.")
    return options


def main() -> int:
    import dask
    from distributed import Client, LocalCluster

    options = arguments()
    # A cluster elsewhere has a configuration of its own.
    dask.config.set({"distributed.scheduler.allowed-failures": PATIENCE})
    if options.scheduler:
        client: Any = Client(options.scheduler)
    else:
        client = Client(LocalCluster(n_workers=options.workers, threads_per_worker=1, dashboard_address=None))
    with client:
        folders = gather(client, [*E2E, *options.e2e], options.checkout, options.parts, options.out)
    joined = [*E2E, "--merge", *map(str, folders), "--out", str(options.out)]
    return subprocess.run(joined, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
