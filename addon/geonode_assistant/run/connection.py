# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a model can be reached, in words a person can act on, and which servers run on this machine.

The core asks; both work on a thread of their own (``background.Check``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .. import native
from . import choices, online
from .background import Check


@dataclass(frozen=True)
class Outcome:
    """What a test of a connection found."""

    ok: bool
    code: str | None
    """Stable code of what is wrong; None when all is well."""
    text: str
    hint: str | None
    models: tuple[str, ...]
    """What the endpoint offers; empty when it does not say."""
    ms: float
    """Time that the endpoint took, in milliseconds."""


@dataclass(frozen=True)
class LocalServer:
    """A server of language models on this machine."""

    name: str
    base_url: str
    models: tuple[str, ...]


def begin(
    provider: str | None = None,
    model: str | None = None,
    *,
    base_url: str | None = None,
    key_variable: str | None = None,
) -> Check[Outcome]:
    """Begins a test of a connection; what is left out comes from the preferences.

    Look at ``finished``, then take ``result()``. ``online_access_disabled`` as ``online.check`` says.
    """
    chosen = choices.choice(provider, model, base_url, key_variable)
    online.check(chosen.provider, chosen.base_url)
    test = native.core().ConnectionTest(*chosen)
    return Check(lambda: Outcome(**_listed(test.run())), test.cancel)


def find_local(core: Any, ports: dict[str, int] | None = None) -> Check[list[LocalServer]]:
    """Begins to look for servers on this machine's usual ports; they are asked all at once and get no key."""
    return Check(lambda: [LocalServer(**_listed(server)) for server in core.local_servers(ports)])


def _listed(found: dict[str, Any]) -> dict[str, Any]:
    return found | {"models": tuple(found["models"])}
