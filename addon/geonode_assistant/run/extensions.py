# SPDX-License-Identifier: GPL-3.0-or-later
"""What scripts add to the assistant: operations and step types.

Each brings the schema of what it takes, which joins the validator, the schema that models are given, and the prompt.
"""

from __future__ import annotations

from typing import Any, Protocol

from .. import native
from ..messages import AssistantError


class OpStrategy(Protocol):
    """An operation that stands for built-in ones, in NODE_TREE and GN_OPS steps alike."""

    schema: dict[str, Any]
    """JSON Schema of its fields: an object, without ``op``. Its ``description`` tells models what it is for."""

    def expand(self, action_type: str, fields: dict[str, Any]) -> list[dict[str, Any]]:
        """The built-in operations of that step type that it stands for.

        Depends on nothing but its arguments and does not touch Blender: it is called on the run's own thread. An
        exception refuses the plan, with its text as the reason.
        """
        ...


class Executor(Protocol):
    """Carries out the steps of one action type, on Blender's main thread and inside the run's transaction."""

    schema: dict[str, Any]
    """JSON Schema of the payload: an object. Its ``description`` tells models what such a step is for."""

    def targets(self, payload: dict[str, Any]) -> dict[str, list[str]]:
        """``{"objects": [names], "trees": [names]}``: what the step changes. They are kept before it, restored when the
        run fails, and judged by the gates.
        """
        ...

    def execute(self, payload: dict[str, Any]) -> str:
        """Does the work and says in a sentence what was done. Data-blocks that it makes are removed when the run fails;
        what it changes beside its targets is its own to bring back. An exception ends the run.
        """
        ...


_executors: dict[str, Executor] = {}


def register_op(name: str, strategy: OpStrategy) -> None:
    """Adds the operation ``name`` (snake_case). Raises ``extension_invalid`` for a name that is taken or a bad schema.

    Runs that are under way do not know it.
    """
    if not callable(getattr(strategy, "expand", None)):
        raise AssistantError("extension_invalid", f"The strategy of {name!r} has no method expand().")
    native.core().register_op(name, _schema(strategy, name), strategy.expand)


def register_executor(action_type: str, executor: Executor) -> None:
    """Adds steps of the type ``action_type`` (SCREAMING_SNAKE_CASE).

    ``executor.requires_approval = True`` asks the artist before each. Raises ``extension_invalid`` for a name that is
    taken or a bad schema.
    """
    for method in ("targets", "execute"):
        if not callable(getattr(executor, method, None)):
            raise AssistantError("extension_invalid", f"The executor of {action_type!r} has no method {method}().")
    approval = bool(getattr(executor, "requires_approval", False))
    native.core().register_action(action_type, _schema(executor, action_type), approval)
    _executors[action_type] = executor


def unregister(name: str) -> bool:
    """Takes an operation or an action type away again; whether it was there."""
    _executors.pop(name, None)
    return native.core().unregister(name)


def executor(action_type: str) -> Executor:
    """The executor of an action type; ``unknown_step_type`` when it was taken away since the plan was read."""
    try:
        return _executors[action_type]
    except KeyError:
        raise AssistantError("unknown_step_type", f"No executor for steps of the type {action_type!r}.") from None


def _schema(of: Any, name: str) -> dict[str, Any]:
    schema = getattr(of, "schema", None)
    if isinstance(schema, dict):
        return schema
    raise AssistantError("extension_invalid", f"{name!r} brings no schema.", "Give it an attribute `schema`: a dict.")
