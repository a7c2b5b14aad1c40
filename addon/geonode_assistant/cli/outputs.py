# SPDX-License-Identifier: GPL-3.0-or-later
"""The output folder: files are written atomically, and an input file is never replaced."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import Any

from ..host.replacing import replace
from ..messages import AssistantError, os_code

BLEND, PICTURE, REPORT = "result.blend", "result.png", "report.json"


class OutputFolder:
    """Writes files under temporary names next to their final ones; ``publish`` renames all of them."""

    def __init__(self, folder: Path, source: Path | None = None) -> None:
        self.folder = Path(os.path.abspath(folder))
        self._source = source
        self._pending: dict[str, Path] = {}

    def prepare(self) -> None:
        """Creates the folder and checks that it is writable, before any work is done.

        Raises AssistantError: ``output_not_writable``, ``disk_full``, ``invalid_path``.
        """
        self.refuse_input(BLEND, PICTURE, REPORT)
        probe = self._temporary(".probe")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with probe.open("wb") as stream:
                # A full disk is noticed when data is flushed, not when the file is created.
                stream.write(b"\0" * 4096)
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as error:
            raise self._refusal(error) from error
        finally:
            with contextlib.suppress(OSError):
                probe.unlink(missing_ok=True)

    def refuse_input(self, *names: str) -> None:
        """Raises ``invalid_path`` if one of these files would replace the input."""
        source = self._source
        if source is not None and any(_same(self.folder / name, source) for name in names):
            raise AssistantError(
                "invalid_path",
                f"The result would replace the input file {source}.",
                "Choose another folder with --out.",
            )

    def stage(self, name: str) -> Path:
        """The temporary path for ``name``; ``publish`` renames it."""
        path = self._temporary(name)
        self._pending[name] = path
        return path

    def stage_json(self, name: str, data: Any) -> None:
        """Writes a JSON document under its temporary name."""
        text = json.dumps(data, ensure_ascii=False, indent=2) + "\n"
        path = self.stage(name)
        try:
            with path.open("w", encoding="utf-8", errors="surrogatepass") as stream:
                stream.write(text)
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as error:
            raise self._refusal(error) from error

    def publish(self) -> list[Path]:
        """Renames all staged files; returns the final paths in the order of staging."""
        done = []
        try:
            for name, path in self._pending.items():
                replace(path, self.folder / name)
                done.append(self.folder / name)
        except OSError as error:
            raise self._refusal(error) from error
        self._pending.clear()
        return done

    def discard(self) -> None:
        """Removes staged files that were not published."""
        for path in self._pending.values():
            # Blender writes to NAME@ first and leaves that file behind when the disk is full.
            for leftover in (path, path.with_name(path.name + "@"), path.with_name(path.name + "1")):
                with contextlib.suppress(OSError):
                    leftover.unlink(missing_ok=True)
        self._pending.clear()

    def _temporary(self, name: str) -> Path:
        stem, dot, ending = name.rpartition(".")
        return self.folder / f".{stem}-{os.getpid()}{dot}{ending}"

    def _refusal(self, error: OSError) -> AssistantError:
        if os_code(error) == "disk_full":
            return disk_full(self.folder)
        return AssistantError(
            "output_not_writable",
            f"Cannot write into {self.folder} ({error.strerror or error}).",
            "Choose a folder that you may write to with --out.",
        )


def disk_full(folder: Path) -> AssistantError:
    """The error for a full disk in the output folder."""
    return AssistantError("disk_full", f"No space left in {folder}.", "Free some space, or choose another --out.")


def _same(one: Path, other: Path) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:
        return os.path.realpath(one) == os.path.realpath(other)
