# SPDX-License-Identifier: GPL-3.0-or-later
from collections import namedtuple

print(namedtuple("A", ["__class__"], rename=True))
