# SPDX-License-Identifier: GPL-3.0-or-later
"""Work of the native core that takes a while, on a thread that a window polls; whoever may wait calls ``result``."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

Result = TypeVar("Result")


class Check(Generic[Result]):
    """Work on a thread of its own. ``cancel``, where the work can be ended, ends it within a second."""

    def __init__(self, work: Callable[[], Result], end: Callable[[], object] | None = None) -> None:
        self._work = work
        self._end = end
        self._result: Result | None = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="geonode-check", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._result = self._work()
        except BaseException as error:
            self._error = error

    @property
    def finished(self) -> bool:
        """Whether ``result`` returns at once."""
        return not self._thread.is_alive()

    def result(self) -> Result:
        """Waits for the end. Raises what the work raised."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._result  # type: ignore[return-value]

    def stop(self) -> None:
        """Ends what is in flight and returns at once. To be said again until ``finished``: the work may be between two
        calls.
        """
        if self._end is not None:
            self._end()

    def cancel(self) -> None:
        """Ends the work and waits for its thread, two seconds at most; a window uses ``stop``."""
        deadline = time.monotonic() + 2.0
        while self._thread.is_alive() and time.monotonic() < deadline:
            self.stop()
            self._thread.join(0.05)
