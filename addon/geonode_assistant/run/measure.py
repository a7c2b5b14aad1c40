# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts and sizes of evaluated geometry, read from the host's evidence (``rust/graph/FORMATS.md``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

COUNTS = ("vertices", "edges", "faces", "curves", "points", "instances", "grids")
AXES = ("x", "y", "z")


def counts(evaluated: dict[str, Any]) -> dict[str, int]:
    """The number of elements of one evaluated object by kind; 0 for a kind that is absent.

    ``points`` are those of a point cloud, or the control points of curves where there is no point cloud.
    """
    mesh, curves = evaluated.get("mesh") or {}, evaluated.get("curves") or {}
    cloud = evaluated.get("pointcloud")
    return {
        "vertices": mesh.get("vertices", 0),
        "edges": mesh.get("edges", 0),
        "faces": mesh.get("faces", 0),
        "curves": curves.get("curves", 0),
        "points": (cloud if cloud is not None else curves).get("points", 0),
        "instances": (evaluated.get("instances") or {}).get("count", 0),
        "grids": (evaluated.get("volume") or {}).get("grids", 0),
    }


def size(evaluated: dict[str, Any]) -> list[float] | None:
    """Extent along X, Y and Z in the object's local units, instances included; None for empty geometry."""
    bounds = evaluated.get("bounds")
    return None if bounds is None else [high - low for low, high in zip(*bounds, strict=True)]


def describe(evidence: Mapping[str, Any]) -> list[str]:
    """One line for each measured object: its modifiers, what it evaluates to, and its size in metres."""
    lines = []
    for item in evidence.get("objects", []):
        evaluated = item.get("evaluated") or {}
        parts = [_count(kind, number) for kind, number in counts(evaluated).items() if number]
        extent = size(evaluated)
        if extent is not None:
            parts.append(" × ".join(f"{side:.3g}" for side in extent) + " m")
        modifiers = [m["name"] for m in item.get("modifiers", []) if m.get("type") == "NODES"]
        shown = f" ({', '.join(modifiers)})" if modifiers else ""
        lines.append(f"{item['name']}{shown}: {', '.join(parts) or 'empty geometry'}")
    return lines


def describe_tree(bundle: Mapping[str, Any]) -> str:
    """The numbers of trees, nodes and links of a tree document, as text."""
    trees = bundle["trees"].values()
    sizes = [_count(kind, sum(len(tree[kind]) for tree in trees)) for kind in ("nodes", "links")]
    return ", ".join([_count("trees", len(trees)), *sizes] if len(trees) > 1 else sizes)


_SINGULAR = {"vertices": "vertex"}


def _count(kind: str, number: int) -> str:
    name = kind if number != 1 else _SINGULAR.get(kind, kind.removesuffix("s"))
    return f"{number:,} {name}"
