# SPDX-License-Identifier: GPL-3.0-or-later
"""The driver's host in a real Blender: passes each effect to the module of ``host/`` that carries it out."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ..messages import AssistantError

if TYPE_CHECKING:
    from ..host.census import Held
    from ..host.documents import Context, Document, Evidence, StepDelta
    from ..host.marks import Changes, Mark
    from ..host.sliders import Slider
    from ..host.standing import Result
    from ..host.transaction import Transaction
    from ..scripting import ScriptResult
    from .driver import Trial
    from .protocol import Applied, HostCall, Restored, ToolResults
    from .recordings import Recordings

    TryOut = Callable[[dict[str, Any], str, int, int, bool, Iterable[int]], Trial]


class BlenderHost:
    """Carries out the effects of one run. Main thread only."""

    def __init__(
        self,
        try_out: TryOut | None = None,
        on_copy: bool = False,
        recordings: Recordings | None = None,
        results: list[ScriptResult] | None = None,
    ) -> None:
        """``try_out`` starts a dry run; None: dry runs are not available. ``on_copy``: scripts may remove anything.
        ``recordings``: of the trial that this is. ``results`` receives those of the scripts.
        """
        self._try_out = try_out
        self._recordings = recordings
        self._transaction: Transaction | None = None
        self._inspected: Document | None = None
        self._held: Held | None = None
        self._under_way: tuple[str, Generator[Any, None, Any]] | None = None
        self._result: Result | None = None
        self._on_copy = on_copy
        self._results = results
        self._removable: set[int] = set()
        self._copy = ""
        self._changes: Changes | None = None
        self._marks: dict[int, list[Mark]] = {}

    def capture_context(self, object: str | None, modifier: str | None) -> Context | None:
        from . import looking

        found: Context | None = self._go_on("capture_context", lambda: looking.capture_in_steps(object, modifier))
        return found

    def inspect(self, objects: list[str], trees: list[str], materials: Sequence[str] = ()) -> Document | None:
        from . import looking

        document: Document | None = self._go_on("inspect", lambda: looking.inspect_in_steps(objects, trees, materials))
        if document is not None:
            self._inspected = document
        return document

    def _go_on(self, what: str, begin: Callable[[], Generator[Any, None, Any]]) -> Any:
        """Does the next part of a work, from its beginning if another one was under way; what it gives, None before."""
        name, steps = self._under_way or ("", None)
        if steps is None or name != what:
            steps = begin()
        self._under_way = None
        try:
            next(steps)
        except StopIteration as end:
            return end.value
        self._under_way = (what, steps)
        return None

    def call_tools(self, calls: list[HostCall], target: dict[str, Any]) -> ToolResults:
        from . import tools

        self.pause()  # tools of others are called too
        return {"results": tools.call_all(calls, target)}

    def begin(self, objects: list[str], trees: list[str], extend: bool, whole: bool = False) -> dict[str, Any]:
        """Opens the transaction, or extends it. ``whole``: it covers the whole file, because a script follows; where
        the artist wants that, the file is saved as a copy before.

        Raises ``stale_base`` when the targets have changed since the last ``inspect``: the artist may have edited them.
        """
        from ..host.transaction import Transaction
        from . import copies

        if extend:
            if whole:
                raise AssistantError(
                    "internal_error", "A script cannot run after this run has already changed the file."
                )
            transaction = self._open()
            fresh = [name for name in trees if not transaction.covers(name)]
            transaction.extend(objects, trees)
        elif self._transaction is not None:
            raise AssistantError("internal_error", "A transaction is already open.")
        else:
            if whole and not self._on_copy and copies.wanted():
                self._copy = copies.save().name
            transaction, fresh = Transaction(objects, trees, whole, announced=True), trees
        try:
            changed = self._changed(transaction, objects, fresh)
            if changed:
                raise AssistantError("stale_base", f"{', '.join(changed)} changed while the plan was compiled.")
        except BaseException:
            # A transaction that failed to open is never restored, so its copies are removed here.
            if not extend:
                transaction.discard()
            raise
        self._transaction = transaction
        self._note_before(fresh)
        return {}

    def _note_before(self, trees: list[str]) -> None:
        from ..host.marks import Changes

        seen: Mapping[str, Any] = self._inspected["trees"] if self._inspected is not None else {}
        self._changes = self._changes or Changes()
        self._changes.note_before({name: seen[name] for name in trees if name in seen})

    def pause(self) -> None:
        """Others may edit the file from now on, until the next call."""
        if self._transaction is not None:
            self._transaction.pause()

    def allow_only(self, names: dict[str, dict[str, list[str]]]) -> None:
        """From here to the end of the transaction nothing may be made, changed or removed but what is named."""
        from ..host.census import Held, named
        from ..host.transaction import MARK

        self._held = Held(names, frozenset({MARK}))
        self._removable = named(names.get("removed", {}))

    def _changed(self, transaction: Transaction, objects: list[str], trees: list[str]) -> list[str]:
        from ..host import context

        seen = self._inspected
        if seen is None:
            return [f'the node group "{name}"' for name in trees if transaction.kept(name) is not None]
        found = [f'the node group "{n}"' for n in trees if seen["trees"].get(n) != transaction.kept(n)]
        return found + [f'the modifiers of "{name}"' for name in context.changed_objects(seen, objects)]

    def apply_step(self, step_id: str, delta: StepDelta) -> Applied:
        applied = self._open().apply(delta)
        if self._changes is not None:
            self._changes.note(delta.get("trees", ()))
        return {"applied": applied}

    def execute_step(self, step_id: str, action_type: str, payload: dict[str, Any]) -> Applied:
        from . import copies, script_steps
        from .extensions import executor, targets_of

        if action_type == script_steps.TYPE:
            removable = None if self._on_copy else self._removable
            if self._recordings is not None:
                run = partial(self._recordings.run, step_id, payload)
            else:
                run = partial(script_steps.run, payload, removable)
            result = self._open().run_script(run)
            if self._results is not None:
                self._results.append(result)
            # Where the folder is, no model needs to know.
            kept, self._copy = copies.told(self._copy), ""
            return {"message": "\n".join(filter(None, [kept, script_steps.message(result)]))}
        chosen = executor(action_type)
        objects, trees = targets_of(action_type, payload)
        transaction = self._open()
        transaction.extend(objects, trees)
        message = transaction.execute(lambda: chosen.execute(payload))
        return {"message": str(message or ""), "objects": objects, "trees": trees}

    def verify(self, objects: list[str], trees: list[str]) -> Evidence | None:
        found: Evidence | None = self._go_on("verify", lambda: self._verify(objects, trees))
        return found

    def _verify(self, objects: list[str], trees: list[str]) -> Generator[None, None, Evidence]:
        from ..host import evaluate

        if self._held is not None:
            self._held.check()
        transaction = self._transaction
        bundle = evaluate.exported(trees, transaction.left() if transaction is not None else None)
        if transaction is not None:
            transaction.note_read(bundle)
        before = transaction.before if transaction is not None else None
        return (yield from evaluate.evidence_in_steps(objects, bundle, before))

    def restore(self) -> Restored:
        transaction = self._open()
        equal = transaction.restore()
        if not equal:
            transaction.give_up()
        self._close()
        return {"equal": equal, "aside": transaction.set_aside}

    def give_up(self) -> None:
        """After a restore that raised: removes what the run created, so that one undo returns to before the run."""
        transaction = self._open()
        self._close()
        transaction.give_up()

    def commit(self, message: str, words: str, run: str) -> dict[str, Any]:
        self._result = self._open().commit(message, words, run)
        if self._changes is not None and self._result is not None:
            self._marks = self._changes.settle()
        return self._close()

    @property
    def changed(self) -> bool:
        return self._result is not None

    def results(self) -> list[Any]:
        return self._result.modifiers() if self._result is not None else []

    def is_as_left(self, modifier: Any, slider: Slider) -> bool:
        return self._result is not None and self._result.is_as_left(modifier, slider)

    def marks(self, tree: int) -> list[Mark]:
        return self._marks.get(tree, [])

    def take_back(self, tree: Any, group: int, message: str) -> None:
        from ..host import taking_back

        before, uid, name = self._before_of(tree), tree.session_uid, tree.name
        if before is None or self._changes is None:
            return
        try:
            taking_back.take_back(tree, before, self._ids(tree, group), message)
        except BaseException:
            # A tree that was restored is another data-block of the same name.
            now = taking_back.uid_of(name)
            self._marks[now], self._changes.before[now] = self._marks.pop(uid), self._changes.before.pop(uid)
            raise

    def is_back(self, uid: int, group: int) -> bool:
        from ..host import taking_back

        tree = taking_back.tree_of(uid)
        before = self._before_of(tree) if tree is not None else None
        return before is not None and taking_back.is_back(tree, before, self._ids(tree, group))

    def _before_of(self, tree: Any) -> Any:
        return self._changes.before.get(tree.session_uid) if self._changes is not None else None

    def _ids(self, tree: Any, group: int) -> set[str]:
        return {mark.id for mark in self.marks(tree.session_uid) if mark.group == group}

    def is_removed(self) -> bool:
        return self._result is not None and self._result.is_removed()

    def is_undone(self) -> bool:
        return self._result is not None and self._result.is_undone()

    def dry_run(
        self,
        plan: dict[str, Any],
        catalogue: str,
        seconds: int,
        megabytes: int,
        sealed: bool = False,
        exact: Iterable[int] = (),
    ) -> Trial:
        if self._try_out is None:
            raise AssistantError("internal_error", "A dry run cannot start another dry run.")
        return self._try_out(plan, catalogue, seconds, megabytes, sealed, exact)

    def _open(self) -> Transaction:
        if self._transaction is None:
            raise AssistantError("internal_error", "No transaction is open.")
        return self._transaction

    def _close(self) -> dict[str, Any]:
        self._transaction = self._held = self._under_way = None
        self._removable = set()
        return {}
