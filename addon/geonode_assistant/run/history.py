# SPDX-License-Identifier: GPL-3.0-or-later
"""The history of runs: those of this Blender process, and the prompts of conversations that earlier ones kept.

Conversations are files of the core (``rust/store``), written without secrets and only while the setting
``keep_conversations`` is on; here they are read and deleted, never changed. Errors are AssistantError with ``code``.
"""

from __future__ import annotations

import builtins
import contextlib
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypedDict

from .. import native
from ..host import exchange, folders, with_values
from ..messages import AssistantError, os_code
from . import presets, remembered, starting
from .driver import Approve, RunHandle
from .remembered import Run

FOLDER, ENDING = "conversations", ".json"
# Of each process and of all files: the newest are read, and of files those that hold an ordinary conversation.
MOST_FILES, MOST_BYTES, MOST_SHOWN = 50, 1 << 20, 300
CHANGE = "Change it: "
"""How a prompt begins that the interface makes of words for a change."""
_VALUE = re.compile(r": default from (?=[^”]*$)")
_read: dict[tuple[str, int, int], builtins.list[Run]] = {}


class Entry(TypedDict):
    """One run, as ``list`` tells of it."""

    id: str
    at: float
    """When it ended: seconds since 1970, UTC."""
    prompt: str
    object: str | None
    status: str
    """``done``, ``error`` or ``cancelled``."""
    message: str
    changes: builtins.list[str]
    is_prompt: bool
    """Whether ``rerun`` takes it."""
    has_tree: bool
    """Whether ``changes_since`` and ``apply`` take it: a run of this process that made or edited a tree."""
    conversation: str | None
    """The conversation whose file keeps it; None for what only this process remembers."""


def list(search: str = "") -> builtins.list[Entry]:
    """The runs in whose prompt or message all words of ``search`` occur, the newest first, 300 at most."""
    words = search.casefold().split()
    found = [run for run in _runs() if all(word in f"{run.prompt} {run.message}".casefold() for word in words)]
    return [_entry(run) for run in sorted(found, key=lambda run: -run.at)[:MOST_SHOWN]]


def get(run: str) -> Entry:
    """The run with this ID. Raises ``invalid_argument``."""
    return _entry(_known(run))


def rerun(run: str, object: str | None = None, *, approve: Approve | str = None, **options: Any) -> RunHandle:
    """Sends the prompt of a run again, as a new conversation, and returns at once as ``api.start`` does.

    ``object`` is the one to work on, by default the active one unless the words name another. Raises
    ``invalid_argument`` for an unknown run and for what was no prompt.
    """
    known = _known(run)
    if not known.is_prompt:
        raise AssistantError("invalid_argument", "This run was not a prompt.", "Apply its tree or its preset instead.")
    return starting.start(known.prompt, object, approve=approve, **options)


def apply(
    run: str, object: str | None = None, *, approve: Approve | str = None
) -> tuple[RunHandle, builtins.list[str]]:
    """Starts a run that applies the tree of an earlier run, as that left it, to an object, the active one by default.

    It makes a new result; returns also what of the tree cannot be applied. Raises ``invalid_argument`` for an unknown
    run and where the tree is not remembered.
    """
    left = _left(run)
    title = "".join(letter for letter in left.name if letter.isprintable() and letter not in '{}"\\“”')
    title = f"{title.encode()[:40].decode(errors='ignore').strip() or 'Result'} Again"
    return presets.start_tree(left.bundle, left.metres, title, object, approve=approve)


def changes_since(run: str) -> builtins.list[str] | None:
    """What has changed in the tree of a run and in the values of its modifier since, in plain words; empty if nothing;
    None where the tree or the modifier is not in the file any more. Raises as ``apply``.
    """
    left = _left(run)
    uid, number = left.carrier
    modifier = with_values.modifier(uid, number)
    tree = getattr(modifier, "node_group", None)
    if tree is None or tree.session_uid != left.tree:
        return None
    found = exchange.diff(left.bundle, with_values.document(tree, modifier)[0])
    # The defaults of these documents are the values of the modifier.
    return [_VALUE.sub(": from ", line) if line.startswith("The input “") else line for line in found]


def delete(run: str) -> int:
    """Forgets a run and, where a file keeps it, the conversation that it belongs to, with all its runs; returns how
    many. Nothing in the scene changes. Raises ``invalid_argument``, or ``permission_denied`` and the like.
    """
    known = _known(run)
    gone = [one for one in _runs() if one is known or known.turn and one.turn and one.turn[0] == known.turn[0]]
    if known.turn is not None:
        place = folders.own_folder() / FOLDER / f"{known.turn[0]}{ENDING}"
        try:
            place.unlink(missing_ok=True)
        except OSError as error:
            raise AssistantError(
                os_code(error), f"{place} cannot be deleted ({error.strerror or error}).", "Check its permissions."
            ) from error
    forgotten = {one.id for one in gone}
    remembered.current.runs[:] = [one for one in remembered.current.runs if one.id not in forgotten]
    return len(gone)


def export(path: str | Path, overwrite: bool = False) -> Path:
    """Writes what ``list`` tells to a JSON file and returns its absolute path.

    Raises ``file_exists``, or as ``api.save_tree``.
    """
    target = Path(path)
    if target.exists() and not overwrite:
        raise AssistantError("file_exists", f"{target} is there already.", native.fix("file_exists"))
    return exchange.write_text(json.dumps({"runs": list()}, ensure_ascii=False, indent=1) + "\n", target)


def _entry(run: Run) -> Entry:
    return {
        "id": run.id,
        "at": run.at,
        "prompt": run.prompt,
        "object": run.object,
        "status": run.status,
        "message": run.message,
        "changes": [*run.changes],
        "is_prompt": run.is_prompt,
        "has_tree": run.left is not None,
        "conversation": run.turn[0] if run.turn is not None else None,
    }


def _known(run: str) -> Run:
    found = next((one for one in _runs() if one.id == run), None)
    if found is None:
        raise AssistantError("invalid_argument", f"There is no run “{run}”.", "Use an ID that `history.list()` has.")
    return found


def _left(run: str) -> remembered.Left:
    left = _known(run).left
    if left is None:
        raise AssistantError(
            "invalid_argument",
            "The tree of this run is not remembered.",
            "Trees are remembered until Blender is closed; keep one as a preset to have it for longer.",
        )
    return left


def _runs() -> builtins.list[Run]:
    now = remembered.current.runs
    known = {run.turn for run in now if run.turn is not None}
    return [*now, *(run for run in _stored() if run.turn not in known)]


def read_in_steps() -> Iterator[None]:
    """Reads the conversations that are kept and have not been read, one a step: ``list`` reads the rest at once."""
    for key, path in _kept():
        if key not in _read:
            _read[key] = _of_file(path)
            yield


def _kept() -> Iterator[tuple[tuple[str, int, int], Path]]:
    """The newest files of conversations, with what tells them from what they were before."""
    files = []
    with contextlib.suppress(OSError), os.scandir(folders.own_folder() / FOLDER) as found:
        for entry in found:
            with contextlib.suppress(OSError):
                if entry.name.endswith(ENDING) and (stat := entry.stat()).st_size <= MOST_BYTES:
                    files.append((stat.st_mtime_ns, stat.st_size, entry.path))
    for at, size, path in sorted(files, reverse=True)[:MOST_FILES]:
        yield (path, at, size), Path(path)


def _stored() -> Iterator[Run]:
    """The runs of the conversations that are kept; files that hold none are left out."""
    global _read
    now: dict[tuple[str, int, int], builtins.list[Run]] = {}
    for key, path in _kept():
        known = _read.get(key)
        now[key] = known if known is not None else _of_file(path)
    _read = now
    for runs in now.values():
        yield from runs


def _of_file(path: Path) -> builtins.list[Run]:
    # Whatever a file holds that is no conversation, it is none.
    with contextlib.suppress(OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
        whole = json.loads(path.read_text("utf-8"))
        before = int(whole["turns_left_out"])
        numbers = [1 if at == 0 else before + at + 1 for at in range(len(whole["turns"]))]
        return [_turn(path.stem, number, turn) for number, turn in zip(numbers, whole["turns"], strict=True)]
    return []


def _turn(conversation: str, number: int, turn: dict[str, Any]) -> Run:
    texts = [turn["wish"], turn["status"], turn["message"], *turn.get("changes", ())]
    if not all(isinstance(text, str) for text in texts) or not isinstance(turn.get("object"), str | None):
        raise ValueError("not a turn of a conversation")
    wish, status, message, *changes = texts
    at = float(turn["at"])
    return Run(
        f"{conversation}-{number}", at, wish, True, turn.get("object"), status, message, changes, (conversation, number)
    )
