# SPDX-License-Identifier: GPL-3.0-or-later
"""The runner on Dask: a worker that is killed midway loses no part, and no part counts twice.

Dask is not among the packages of the tests: without it the test is skipped.
"""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("distributed")

SOURCE = Path(__file__).parents[2] / "manifests" / "farm.py"
# Stands in for `cargo xtask e2e`: notes that it began, takes a while, and reports the manifests of its part.
PART = """
import json, os, sys, time
index, count = map(int, sys.argv[sys.argv.index("--shard") + 1].split("/"))
out = sys.argv[sys.argv.index("--out") + 1]
open(f"{sys.argv[1]}/{index}-{os.getpid()}-{os.getppid()}", "w").close()
time.sleep(1.0)
keys = [f"manifest {number}" for number in range(1, 20)][index - 1 :: count]
if not keys:
    sys.exit(f"part {index} of {count} has no manifest")
json.dump({"manifests": [{"key": key} for key in keys]}, open(os.path.join(out, "report.json"), "w"))
"""


def farm_of(tmp_path: Path) -> tuple[Any, list[str]]:
    """The runner, and the command of its parts."""
    spec = importlib.util.spec_from_file_location("farm", SOURCE)
    assert spec and spec.loader
    farm = importlib.util.module_from_spec(spec)
    sys.modules["farm"] = farm
    spec.loader.exec_module(farm)
    (tmp_path / "begun").mkdir()
    script = tmp_path / "part.py"
    script.write_text(PART, encoding="utf-8")
    return farm, [sys.executable, str(script), str(tmp_path / "begun")]


def keys_of(folders: list[Path]) -> list[str]:
    reports = [json.loads((folder / "report.json").read_text(encoding="utf-8")) for folder in folders]
    return sorted(entry["key"] for report in reports for entry in report["manifests"])


ALL = sorted(f"manifest {number}" for number in range(1, 20))


def test_more_parts_than_manifests_lose_nothing(tmp_path: Path) -> None:
    from distributed import Client, LocalCluster

    farm, command = farm_of(tmp_path)
    with LocalCluster(n_workers=2, threads_per_worker=2, dashboard_address=None) as cluster, Client(cluster) as client:
        folders = farm.gather(client, command, str(tmp_path), 22, tmp_path / "out", lambda _: None)
        with pytest.raises(RuntimeError):
            farm.gather(client, [*command[:1], "-c", "pass"], str(tmp_path), 2, tmp_path / "none", lambda _: None)
    assert keys_of(folders) == ALL


def test_a_killed_worker_loses_no_part(tmp_path: Path) -> None:
    import dask
    from distributed import Client, LocalCluster

    farm, command = farm_of(tmp_path)
    begun = tmp_path / "begun"
    killed: list[int] = []

    def kill(line: str) -> None:
        """After the first part is done: the worker of one that is under way."""
        if killed:
            return
        done = {int(name.name) for name in (tmp_path / "out" / "parts").iterdir()}
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            for note in begun.iterdir():
                index, _, worker = map(int, note.name.split("-"))
                if index not in done:
                    os.kill(worker, signal.SIGKILL)
                    killed.append(index)
                    return
            time.sleep(0.02)

    dask.config.set({"distributed.scheduler.allowed-failures": farm.PATIENCE})
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        folders = farm.gather(client, command, str(tmp_path), 6, tmp_path / "out", kill)
    assert killed, "no worker was killed"
    assert len([note for note in begun.iterdir() if note.name.startswith(f"{killed[0]}-")]) >= 2, "it was run again"
    assert keys_of(folders) == ALL
