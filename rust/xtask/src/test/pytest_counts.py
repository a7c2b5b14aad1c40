# SPDX-License-Identifier: GPL-3.0-or-later
"""pytest plugin: counts outcomes, and seconds by file, into the JSON file ``GEONODE_COUNTS`` as they happen.

A crash of Blender then still tells how many tests had run, and in which one it died.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import pytest

_FILE = os.environ.get("GEONODE_COUNTS")
_seconds: dict[str, float] = {}
_counts: dict[str, Any] = {"passed": 0, "failed": 0, "skipped": 0, "current": None, "finished": False}
_counts["seconds"] = _seconds


def _write() -> None:
    if _FILE:
        temporary = f"{_FILE}.{os.getpid()}"
        with open(temporary, "w", encoding="utf-8") as file:
            json.dump(_counts, file)
        os.replace(temporary, _FILE)


def pytest_configure(config: pytest.Config) -> None:
    _write()


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.failed:
        _counts["failed"] += 1
        _write()


def pytest_runtest_logstart(nodeid: str, location: object) -> None:
    _counts["current"] = nodeid
    _write()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    file = report.nodeid.split("::")[0]
    _seconds[file] = _seconds.get(file, 0.0) + report.duration
    # A test counts once: by its call, or by the set-up or tear-down that failed or skipped it.
    if report.when == "call" or report.outcome != "passed":
        _counts[report.outcome] += 1


def pytest_runtest_logfinish(nodeid: str, location: object) -> None:
    _counts["current"] = None
    _write()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    _counts["finished"] = True
    _write()
    # Tests in Blender end the process by os._exit, which would lose what coverage has measured.
    coverage = sys.modules.get("coverage")
    measuring = coverage and coverage.Coverage.current()
    if measuring:
        measuring.stop()
        measuring.save()
