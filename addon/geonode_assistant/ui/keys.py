# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the key of a provider is stored, for the preferences.

The key itself passes through here once, on its way to the core. A key store may wait for a person to unlock it, so the
core is called on a thread that the window polls.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from ..messages import AssistantError
from ..run.background import Check
from .translation import say

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import IconItems


class KeyOwner(NamedTuple):
    """The provider and address that a key belongs to."""

    provider: str
    base_url: str | None
    variable: str | None
    """Environment variable named in the preferences; if set, no stored key is used."""


def describe(place: dict[str, Any] | None) -> str:
    """Where a key comes from (``geonode_core.key_place``), as a line for the interface."""
    if place is None:
        return say("No key found")
    match place["place"]:
        case "environment":
            return say("The key comes from the environment variable {variable}", variable=place["variable"])
        case "system":
            name = place["name"]
            return say("The key is in {place}", place=f"{name[:1].lower()}{name[1:]}")
        case "file":
            return say("The key is in the file {path}, not encrypted, readable only by you", path=place["path"])
    return say("No key found")


def icon(place: dict[str, Any] | None) -> IconItems:
    """An icon for where a key comes from: closed only where it is encrypted, or never written."""
    if place is None:
        return "QUESTION"
    return "UNLOCKED" if place["place"] == "file" else "LOCKED"


class KeyState:
    """What the preferences know about one key: where it is stored, never the key itself."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Clears everything that was found out."""
        self.owner: KeyOwner | None = None
        self.place: dict[str, Any] | None = None
        self.error: AssistantError | None = None
        self.note = ""
        """A side effect of the last change, as a sentence; empty if there was none."""
        self._work: Check[Callable[[], None]] | None = None

    @property
    def busy(self) -> bool:
        """Whether a request to the key store is still open."""
        return self._work is not None

    @property
    def stored(self) -> bool:
        """Whether there is a stored key, which can be removed."""
        return self.place is not None and self.place["place"] != "environment"

    def find(self, core: Any, owner: KeyOwner) -> None:
        """Starts finding out where this key comes from, unless that is known."""
        if self.owner == owner or self.busy:
            return
        self.owner, self.place, self.error, self.note = owner, None, None, ""
        self._begin(lambda: core.key_place(owner.provider, owner.base_url, owner.variable))

    def store(self, core: Any, owner: KeyOwner, key: str) -> None:
        """Starts storing a key, which replaces the previous one."""
        self._claim(owner)
        self._begin(lambda: core.keep_key(owner.provider, key, owner.base_url))

    def remove(self, core: Any, owner: KeyOwner) -> None:
        """Starts removing the stored key."""
        self._claim(owner)

        def work() -> dict[str, Any] | None:
            core.remove_key(owner.provider, owner.base_url)
            return core.key_place(owner.provider, owner.base_url, owner.variable)

        self._begin(work)

    def poll(self) -> bool:
        """Reads the answer of the key store if there is one; returns whether there was."""
        if self._work is None or not self._work.finished:
            return False
        self.wait()
        return True

    def wait(self) -> None:
        """Blocks until the key store has answered; for scripts and tests."""
        if self._work is not None:
            work, self._work = self._work, None
            work.result()()

    def _claim(self, owner: KeyOwner) -> None:
        if self.busy:
            raise AssistantError(
                "key_store_refused",
                "The key store has not answered the previous request yet.",
                "Try again in a moment.",
            )
        self.owner, self.error, self.note = owner, None, ""

    def _begin(self, work: Callable[[], dict[str, Any] | None]) -> None:
        def ask() -> Callable[[], None]:
            try:
                found = work()
            except Exception as error:
                # Without the traceback, whose frames hold the key.
                known = AssistantError.of(error)
                return lambda: setattr(self, "error", known)
            return lambda: self._found(found)

        self._work = Check(ask)

    def _found(self, place: dict[str, Any] | None) -> None:
        self.place = place
        aside = (place or {}).get("set_aside")
        self.note = say("The file of keys was damaged and has been renamed to {aside}", aside=aside) if aside else ""


state = KeyState()
"""The key that the preferences show."""
