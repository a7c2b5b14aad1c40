# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures in the sidebar: of presets, from their files, and of the 3D View before and after a run. Those of runs are
kept until Blender is closed.
"""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from typing import Any

from bpy.utils import previews

from ..host import current, viewport
from ..run import choices, remembered, session

# The longer side of a picture of the 3D View, and of how many runs there are some.
LONGEST_PX, MOST_RUNS = 200, 20

# The room around the active object that a picture shows, for what grows out of it, and around a result that needs more;
# of their own sizes.
ROOM, MARGIN = 1.6, 1.2
_GEOMETRY = frozenset({"MESH", "CURVE", "CURVES", "FONT", "POINTCLOUD", "SURFACE"})

_previews: Any = None
_names = 0


class Pair:
    """The 3D View before and after a run, as icons; 0 where there is none."""

    def __init__(self) -> None:
        self.before = self.after = ""

    def icons(self) -> tuple[int, int]:
        """Both, to be drawn."""
        return _icon(self.before), _icon(self.after)


class Runs:
    """The pictures of the last runs."""

    def __init__(self) -> None:
        self._before: viewport.Shot | None = None
        self._frame: viewport.Frame | None = None
        self._pairs: OrderedDict[str, Pair] = OrderedDict()
        self._last: tuple[Any, Pair] | None = None

    def look_before(self) -> None:
        """Takes the picture before a run, of the active object; nothing where the artist wants none."""
        active = current.view_layer().objects.active
        shown = [active] if active is not None and active.type in _GEOMETRY and active.visible_get() else []
        self._frame = viewport.around(shown, ROOM)
        self._before = _look(self._frame)

    def look_after(self) -> bool:
        """Takes the picture after a run that has changed something; returns whether they differ, and both are kept."""
        view, before = session.current, self._before
        self._before = None
        if before is None or view.report is None or view.unchanged or not view.results:
            return False
        made = viewport.around({modifier.id_data for modifier in view.results}, 1.0)
        frame = self._frame
        if frame is not None and made is not None and not frame.holds(made):
            frame = made._replace(half=made.half * MARGIN)
        after = _look(frame)
        if after is None or after == before:
            return False
        pair = Pair()
        pair.before, pair.after = _keep(before), _keep(after)
        self._last = (view.report, pair)
        run = next(iter(remembered.current.runs), None)
        if run is not None:
            self._pairs[run.id] = pair
        while len(self._pairs) > MOST_RUNS:
            _, old = self._pairs.popitem(last=False)
            _drop(old)
        return True

    def of_report(self, report: Any) -> tuple[int, int]:
        """The icons of the run that ended with this report, before and after."""
        return self._last[1].icons() if self._last is not None and self._last[0] is report else (0, 0)

    def of_run(self, run: str) -> tuple[int, int]:
        """The icons of a run of the history."""
        pair = self._pairs.get(run)
        return pair.icons() if pair is not None else (0, 0)

    def forget(self) -> None:
        """Drops them all."""
        self._before = self._last = None
        for pair in self._pairs.values():
            _drop(pair)
        self._pairs.clear()


runs = Runs()
"""Those of this process."""


def start() -> None:
    """Makes room for pictures."""
    global _previews
    _previews = previews.new()


def stop() -> None:
    """Frees all pictures."""
    global _previews
    runs.forget()
    if _previews is not None:
        previews.remove(_previews)
        _previews = None


def of_file(path: str | None) -> int:
    """The icon of the picture in a file; 0 without one. Blender reads it when it is drawn."""
    if _previews is None or not path:
        return 0
    known = _previews.get(path)
    if known is None:
        if not Path(path).is_file():
            return 0
        known = _previews.load(path, path, "IMAGE")
    return known.icon_id


def of_object(obj: Any) -> bytes | None:
    """A PNG file of this object as the 3D View shows it; None without a window."""
    shot = viewport.take(LONGEST_PX, viewport.around([obj], MARGIN))
    return viewport.as_png(shot) if shot is not None else None


def forget_file(path: str | None) -> None:
    """Reads the picture in this file again when it is next drawn."""
    if _previews is not None and path in _previews:
        del _previews[path]


def _look(frame: viewport.Frame | None) -> viewport.Shot | None:
    stored = choices.stored()
    if stored is None or not stored.result_pictures:
        return None
    return viewport.take(LONGEST_PX, frame)


def _keep(shot: viewport.Shot) -> str:
    """Makes an icon of a picture, and returns its name."""
    global _names
    if _previews is None:
        return ""
    _names += 1
    name = str(_names)
    made = _previews.new(name)
    made.image_size = (shot.width, shot.height)
    made.image_pixels.foreach_set(viewport.as_integers(shot))
    return name


def _drop(pair: Pair) -> None:
    for name in (pair.before, pair.after):
        forget_file(name)


def _icon(name: str) -> int:
    return _previews[name].icon_id if _previews is not None and name in _previews else 0
