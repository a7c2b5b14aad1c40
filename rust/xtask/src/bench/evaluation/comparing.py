# SPDX-License-Identifier: GPL-3.0-or-later
"""Records what trees take in Blender, and compares records with what the core expects."""

import json
import os
import sys
from pathlib import Path

import bpy
import geonode_assistant
import geonode_core
from making import OBJECT, Tree, document, estimated, measured

CATALOGUES = Path(geonode_assistant.__file__).parent / "data" / "catalogue"
LIMIT = 40.0
"""Seconds that a tree may be expected to take; those beyond are not evaluated."""


def recorded(trees):
    """Prints each tree with its figures, measured in a process of its own, so that memory is its own."""
    print("blender", bpy.app.version_string.split()[0], flush=True)
    for name, build in trees.items():
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            try:
                tree = Tree()
                tree.end(build(tree))
                found = document(tree)
                expected = estimated(found)["seconds"]
                if expected > LIMIT:
                    print("skipped", name, f"expected to take {expected:.0e} s", flush=True)
                else:
                    print("tree", json.dumps([name, *measured(tree, rounds=3), found]), flush=True)
            except Exception as error:
                print("skipped", name, repr(error)[:200], flush=True)
            finally:
                os._exit(0)
        os.waitpid(child, 0)


def table(lines, nodes):
    """What was measured beside what was expected, the worst last."""
    rows = []
    for line in lines:
        if line.startswith("tree "):
            name, seconds, held, found = json.loads(line[5:])
            expected = geonode_core.estimates(found, nodes)[OBJECT]
            rows.append((expected["seconds"] / seconds, name, seconds, expected["seconds"], held, expected["bytes"]))
    return sorted(rows, key=lambda row: max(row[0], 1 / max(row[0], 1e-9)))


HEAD = """# Estimates against Blender

Written by `cargo xtask bench --evaluation`: the trees of `rust/xtask/src/bench/evaluation/trees.py` and `blind.py`.
Where they showed a class of error its nodes were measured again, so they are not a blind check of `src/costs.json`.
Measured is processor time on one core in seconds, the least of three evaluations, and the most memory that the
process took more than before, in MB. Ratio: expected by measured time. What is expected of a simulation holds the
states of 250 frames."""


def page(files):
    """The page `rust/cost/MEASURED.md`, from the lines of earlier measurements."""
    print(HEAD)
    for name in files:
        with open(name) as file:
            lines = file.readlines()
        version = next((line.split()[1] for line in lines if line.startswith("blender ")), "")
        rows = table(lines, str(CATALOGUES / f"{version.rpartition('.')[0]}.json"))
        near = sum(0.25 <= row[0] <= 4 for row in rows)
        low = sum(row[0] < 0.1 for row in rows)
        print(f"\n## Blender {version}\n")
        print(f"{len(rows)} trees: {near} within a factor of 4, {low} too low by more than 10.\n")
        print("| tree | measured s | expected s | ratio | measured MB | expected MB |")
        print("| --- | ---: | ---: | ---: | ---: | ---: |")
        for ratio, tree, real, expected, held, memory in rows:
            print(f"| {tree} | {real:.3f} | {expected:.3f} | {ratio:.2f} | {held / 1e6:.0f} | {memory / 1e6:.0f} |")
