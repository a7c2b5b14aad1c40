# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the key of a provider lies, for the preferences.

The key itself passes through here once, on its way to the core. A key store may wait for a person to unlock it, so the
core is asked on a thread that the window polls.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..messages import AssistantError
from ..run.connection import Check


class About(NamedTuple):
    """Whose key it is."""

    provider: str
    base_url: str | None
    variable: str | None
    """Environment variable that the preferences name; then no stored key is used."""


def spoken(place: dict[str, Any] | None) -> str:
    """Where a key comes from (``geonode_core.key_place``), in words."""
    if place is None:
        return "No key is known"
    match place["place"]:
        case "environment":
            return f"The key comes from the environment variable {place['variable']}"
        case "system":
            name = place["name"]
            return f"The key is in {name[:1].lower()}{name[1:]}"
        case "file":
            return f"The key is in the file {place['path']}, not encrypted, readable only by you"
    return "No key is known"


class KeyState:
    """What is known of one key; never the key."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """As if nothing had ever been asked."""
        self.about: About | None = None
        self.place: dict[str, Any] | None = None
        self.error: AssistantError | None = None
        self.note = ""
        """What else came of the last change, in words."""
        self._work: Check[Callable[[], None]] | None = None

    @property
    def busy(self) -> bool:
        """Whether the key store is being asked."""
        return self._work is not None

    @property
    def stored(self) -> bool:
        """Whether there is a stored key, which can be removed."""
        return self.place is not None and self.place["place"] != "environment"

    def look(self, core: Any, about: About) -> None:
        """Begins to ask where this key comes from, unless that is known."""
        if self.about == about or self.busy:
            return
        self.about, self.place, self.error, self.note = about, None, None, ""
        self._begin(lambda: core.key_place(about.provider, about.base_url, about.variable))

    def keep(self, core: Any, about: About, key: str) -> None:
        """Begins to keep a key in place of the one before."""
        self._claim(about)
        self._begin(lambda: core.keep_key(about.provider, key, about.base_url))

    def remove(self, core: Any, about: About) -> None:
        """Begins to remove the stored key."""
        self._claim(about)

        def work() -> dict[str, Any] | None:
            core.remove_key(about.provider, about.base_url)
            return core.key_place(about.provider, about.base_url, about.variable)

        self._begin(work)

    def poll(self) -> bool:
        """Takes up what was found; whether there was anything to take up."""
        if self._work is None or not self._work.finished:
            return False
        self.wait()
        return True

    def wait(self) -> None:
        """Waits for the key store; for scripts and tests."""
        if self._work is not None:
            work, self._work = self._work, None
            work.result()()

    def _claim(self, about: About) -> None:
        if self.busy:
            raise AssistantError("key_store_refused", "The key store is still being asked.", "Try again in a moment.")
        self.about, self.error, self.note = about, None, ""

    def _begin(self, work: Callable[[], dict[str, Any] | None]) -> None:
        def ask() -> Callable[[], None]:
            try:
                found = work()
            except Exception as error:
                # Without the traceback, whose frames hold the key.
                known = AssistantError.of(error)
                return lambda: setattr(self, "error", known)
            return lambda: self._found(found)

        self._work = Check(ask, [])

    def _found(self, place: dict[str, Any] | None) -> None:
        self.place = place
        aside = (place or {}).get("set_aside")
        self.note = f"A damaged file of keys was set aside as {aside}" if aside else ""


state = KeyState()
"""The key that the preferences show."""
