# SPDX-License-Identifier: GPL-3.0-or-later
"""End-to-end manifests as files, and the report of one. The core has their schema (``schema("manifest")``);
``addon/docs/guide.md`` explains the fields.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .. import native
from ..messages import AssistantError, os_code

SHOWN = 10
"""How many findings the error message lists."""


def load(path: Path) -> dict[str, Any]:
    """Loads a manifest and validates it against its schema.

    Raises AssistantError: ``manifest_invalid`` with the JSON Pointer of each finding, ``file_too_large``, or an error
    of the operating system (``file_not_found`` …).
    """
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        raise AssistantError(os_code(error), f"Cannot read the manifest {path} ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        raise AssistantError("manifest_invalid", f"{path} is not UTF-8 text (byte {error.start}).") from error
    findings = native.core().check_manifest(text)
    if findings:
        shown = "; ".join(_line(finding) for finding in findings[:SHOWN])
        more = f" … and {len(findings) - SHOWN} more" if len(findings) > SHOWN else ""
        code = "file_too_large" if findings[0]["code"] == "file_too_large" else "manifest_invalid"
        raise AssistantError(code, f"{path}: {shown}{more}", findings[0].get("hint"))
    return json.loads(text)


def beside(path: str, folder: Path) -> Path:
    """The file that a manifest names by a path below its own folder, with links followed. It need not exist.

    Raises ``manifest_invalid`` if a link leads out of the folder: nothing is read or written there.
    """
    try:
        root = folder.resolve()
        found = (root / path).resolve()
    except (OSError, RuntimeError) as error:
        raise AssistantError("manifest_invalid", f"{path} leads nowhere: its links go in a circle.") from error
    if not found.is_relative_to(root) or found == root:
        raise AssistantError(
            "manifest_invalid",
            f"{path} leads out of the folder of the manifest.",
            "Put the file, not a link to it, below the folder of the manifest.",
        )
    return found


def _line(finding: dict[str, Any]) -> str:
    return f"{finding['path'] or '/'}: {finding['message']}"


@dataclass(frozen=True)
class Check:
    """The result of one comparison."""

    name: str
    ok: bool
    expected: Any
    actual: Any

    def line(self) -> str:
        """The check as a line for a terminal."""
        shown = f"ok    {self.name}" if self.ok else f"FAIL  {self.name}"
        return f"{shown}: {_short(self.actual)}" + ("" if self.ok else f", expected {_short(self.expected)}")


@dataclass
class ManifestReport:
    """The result of running a manifest."""

    name: str
    path: str
    checks: list[Check] = field(default_factory=list)
    run: dict[str, Any] = field(default_factory=dict)
    """The run's own report; of several prompts, the last one's."""
    seconds: float = 0.0
    prompts: list[str] = field(default_factory=list)
    """What was asked, in order."""
    times: dict[str, float] = field(default_factory=dict)
    """Seconds by part: ``start``, ``prompts``, ``measuring``, ``picture``, ``undo``."""
    picture: str = ""
    """The file name of the picture, if one was taken."""
    trees: list[dict[str, Any]] = field(default_factory=list)
    """What a drawing of each tree needs that the run made or changed."""
    error: dict[str, Any] | None = None
    """``code``, ``message`` and ``hint`` of what kept the manifest from being run or measured."""

    @property
    def ok(self) -> bool:
        """Whether all checks passed and there was at least one."""
        return self.error is None and bool(self.checks) and all(check.ok for check in self.checks)

    def lines(self) -> list[str]:
        """A line with the verdict, followed by one line per check."""
        head = f"{'PASS' if self.ok else 'FAIL'} {self.name} ({len(self.checks)} checks, {self.seconds:.1f} s)"
        lines = [head, *(f"  {check.line()}" for check in self.checks)]
        if not self.ok:
            lines += [f"  {m['severity']} [{m['code']}]: {m['text']}" for m in self.run.get("messages", [])]
        return lines

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON-serialisable data."""
        return {"ok": self.ok, **asdict(self)}


def _short(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list):
        return "[" + ", ".join(_short(item) for item in value) + "]"
    return str(value)
