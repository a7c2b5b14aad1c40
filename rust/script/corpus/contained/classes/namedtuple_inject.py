# SPDX-License-Identifier: GPL-3.0-or-later
from collections import namedtuple

namedtuple("A", "x, y=__import__('os')")
