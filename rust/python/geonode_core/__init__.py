# SPDX-License-Identifier: GPL-3.0-or-later
"""The native core of GeoNode AI Assistant; everything is in the extension module beside this file."""

from .geonode_core import *  # noqa: F403
from .geonode_core import __all__, __version__  # noqa: F401
