# SPDX-License-Identifier: GPL-3.0-or-later
"""GeoNode AI Assistant: a sentence becomes a Geometry Nodes tree.

Importing the package loads neither Blender's ``bpy`` nor the native core; both are loaded when they are used.
"""

from __future__ import annotations


def register() -> None:
    """Called by Blender when the add-on is switched on."""
    from .ui import registry

    registry.register(_command)


def unregister() -> None:
    """Called by Blender when the add-on is switched off, and on quitting."""
    from .ui import registry

    registry.unregister()


def _command(arguments: list[str]) -> int:
    """``blender --command geonode …``."""
    from .cli.command import main

    return main(arguments, prog="blender --command geonode")
