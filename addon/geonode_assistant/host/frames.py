# SPDX-License-Identifier: GPL-3.0-or-later
"""Going through the frames of the scene, as simulations need it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from . import current


def through(frames: Iterable[int], check: Callable[[], None] = lambda: None) -> Iterator[int]:
    """Plays the scene from its first frame on and stops at each of these; at the end it is at its frame again.

    ``check`` is called before each frame, and ends it with an exception.
    """
    scene = current.scene()
    present, wanted = (scene.frame_current, scene.frame_subframe), sorted(set(frames))
    try:
        at = min(scene.frame_start, wanted[0]) if wanted else 0
        for frame in wanted:
            while at < frame:
                check()
                scene.frame_set(at)
                at += 1
            check()
            scene.frame_set(frame)
            at = frame + 1
            yield frame
    finally:
        if wanted:
            scene.frame_set(present[0], subframe=present[1])
