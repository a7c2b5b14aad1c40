# SPDX-License-Identifier: GPL-3.0-or-later
"""The job around a dry run on Windows, told to a system that only writes down what it is asked."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest
from geonode_assistant.run.dry_run import job


class Kernel:
    """Functions of kernel32; those in ``refused`` fail."""

    def __init__(self, *refused: str) -> None:
        self.asked: list[tuple[str, list[int]]] = []
        self.flags = 0
        for name in ("CreateJobObjectW", "SetInformationJobObject", "AssignProcessToJobObject", "TerminateJobObject"):
            setattr(self, name, self._function(name, name in refused))
        self.CloseHandle = self._function("CloseHandle", False)

    def _function(self, name: str, refuses: bool) -> Any:
        def called(*arguments: Any) -> int:
            if name == "SetInformationJobObject":
                limits = arguments[2].contents
                assert arguments[3].value == ctypes.sizeof(limits) == 144, "as winnt.h has it on 64 bits"
                self.flags = limits.basic.flags
            self.asked.append((name, [one.value for one in arguments if hasattr(one, "value")]))
            return 0 if refuses else 2**40 + 7

        return called


def test_everything_in_the_job_ends_with_it() -> None:
    kernel = Kernel()
    made = job.Job(2**33 + 4, kernel)
    assert kernel.flags == job.KILL_ON_CLOSE | job.NO_CRASH_DIALOG
    handles = 2**40 + 7, 2**33 + 4
    assert kernel.asked[-1] == ("AssignProcessToJobObject", [*handles]), "handles are as wide as pointers"
    made.end()
    made.end()
    ended = [name for name, _ in kernel.asked[-2:]]
    assert ended == ["TerminateJobObject", "CloseHandle"] and len(kernel.asked) == 5


@pytest.mark.parametrize("refused", ["CreateJobObjectW", "SetInformationJobObject", "AssignProcessToJobObject"])
def test_a_process_without_a_job_is_an_error(refused: str) -> None:
    kernel = Kernel(refused)
    with pytest.raises(OSError, match="Windows"):
        job.Job(1, kernel)
    closed = ("CloseHandle", [2**40 + 7]) in kernel.asked
    assert closed == (refused != "CreateJobObjectW"), "no handle is left"
