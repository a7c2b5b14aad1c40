# SPDX-License-Identifier: GPL-3.0-or-later
"""The session's host in a real Blender: each effect is handed to the module of ``host/`` that does it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .messages import AssistantError

if TYPE_CHECKING:
    from .host.transaction import Transaction


class BlenderHost:
    """Carries out the effects of one run. Main thread only."""

    def __init__(self) -> None:
        self._transaction: Transaction | None = None

    def capture_context(self, object: str | None, modifier: str | None) -> dict[str, Any]:
        from .host import context

        return context.capture_context(object, modifier)

    def inspect(self, objects: list[str], trees: list[str]) -> dict[str, Any]:
        from .host import context

        return context.inspect(objects, trees)

    def begin(self, objects: list[str], trees: list[str], extend: bool) -> dict[str, Any]:
        from .host.transaction import Transaction

        if extend:
            self._open().extend(objects, trees)
        elif self._transaction is not None:
            raise AssistantError("internal_error", "A transaction is open already.")
        else:
            self._transaction = Transaction(objects, trees)
        return {}

    def apply_step(self, step_id: str, delta: dict[str, Any]) -> dict[str, Any]:
        return {"applied": self._open().apply(delta)}

    def verify(self, objects: list[str], trees: list[str]) -> dict[str, Any]:
        from .host import evaluate

        before = self._transaction.before if self._transaction is not None else None
        return evaluate.evidence(objects, trees, before)

    def restore(self) -> dict[str, Any]:
        return {"equal": self._open().restore()} | self._close()

    def commit(self, message: str) -> dict[str, Any]:
        self._open().commit(message)
        return self._close()

    def _open(self) -> Transaction:
        if self._transaction is None:
            raise AssistantError("internal_error", "No transaction is open.")
        return self._transaction

    def _close(self) -> dict[str, Any]:
        self._transaction = None
        return {}
