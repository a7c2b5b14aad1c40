# SPDX-License-Identifier: GPL-3.0-or-later
"""Operations and step types that scripts add to the assistant.

Each has a schema of its input, which is added to the validator, to the schema for models, and to their instructions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from .. import native
from ..messages import AssistantError


class OpStrategy(Protocol):
    """An operation that expands to built-in ones, in both NODE_TREE and GN_OPS steps."""

    schema: dict[str, Any]
    """JSON Schema of its fields: an object, without ``op``. Its ``description`` tells models what it is for."""

    def expand(self, action_type: str, fields: dict[str, Any]) -> list[dict[str, Any]]:
        """The built-in operations of that step type that it expands to.

        Must depend on its arguments only and not use Blender: it is called on the run's own thread. An exception
        refuses the plan, with its text as the reason.
        """
        ...


class Executor(Protocol):
    """Carries out the steps of one step type, on Blender's main thread and inside the run's transaction."""

    schema: dict[str, Any]
    """JSON Schema of the payload: an object. Its ``description`` tells models what such a step is for."""

    def targets(self, payload: dict[str, Any]) -> dict[str, list[str]]:
        """``{"objects": [names], "trees": [names]}``: what the step changes. They are saved before the step,
        restored if the run fails, and checked by the gates.
        """
        ...

    def execute(self, payload: dict[str, Any]) -> str:
        """Carries out the step and returns a sentence about what was done. Data-blocks that it creates are
        removed if the run fails; other changes outside its targets it must restore itself. An exception ends
        the run.
        """
        ...


_executors: dict[str, Executor] = {}


def register_op(name: str, strategy: OpStrategy) -> None:
    """Adds the operation ``name`` (snake_case). Raises ``extension_invalid`` if the name is taken or the schema is bad.

    Runs that are already under way cannot use it.
    """
    if not callable(getattr(strategy, "expand", None)):
        raise AssistantError("extension_invalid", f"The strategy of {name!r} has no method expand().")
    native.core().register_op(name, _schema(strategy, name), strategy.expand)


def register_executor(action_type: str, executor: Executor) -> None:
    """Adds steps of the type ``action_type`` (SCREAMING_SNAKE_CASE).

    ``executor.requires_approval = True`` asks the artist before each step. Raises ``extension_invalid`` if the name is
    taken or the schema is bad.
    """
    for method in ("targets", "execute"):
        if not callable(getattr(executor, method, None)):
            raise AssistantError("extension_invalid", f"The executor of {action_type!r} has no method {method}().")
    approval = bool(getattr(executor, "requires_approval", False))
    native.core().register_action(action_type, _schema(executor, action_type), approval)
    _executors[action_type] = executor


def unregister(name: str) -> bool:
    """Removes an operation or a step type; returns whether there was one."""
    _executors.pop(name, None)
    return native.core().unregister(name)


def executor(action_type: str) -> Executor:
    """The executor of a step type. Raises ``unknown_step_type`` if it has been unregistered since the plan was read."""
    try:
        return _executors[action_type]
    except KeyError:
        raise AssistantError(
            "unknown_step_type", f"No executor is registered for steps of the type {action_type!r}."
        ) from None


def targets_of(action_type: str, payload: dict[str, Any]) -> tuple[list[str], list[str]]:
    """The objects and trees that a step changes, as its executor says. Raises ``extension_invalid`` for an answer of
    another form.
    """
    found: Any = executor(action_type).targets(payload)
    lists: Any = list(found.values()) if isinstance(found, Mapping) and found.keys() <= {"objects", "trees"} else [None]
    is_list = all(isinstance(one, list | tuple | set | frozenset) for one in lists)
    if not is_list or not all(isinstance(name, str) for one in lists for name in one):
        raise AssistantError(
            "extension_invalid",
            f"targets() of the executor of {action_type!r} gave {found!r:.80}.",
            'It has to give {"objects": [names], "trees": [names]}.',
        )
    return list(found.get("objects", ())), list(found.get("trees", ()))


def _schema(of: Any, name: str) -> dict[str, Any]:
    schema = getattr(of, "schema", None)
    if isinstance(schema, dict):
        return schema
    raise AssistantError(
        "extension_invalid", f"{name!r} has no schema.", "Give it an attribute `schema` that is a dict."
    )
