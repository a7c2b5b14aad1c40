# SPDX-License-Identifier: GPL-3.0-or-later
# expect: calls
import functools
functools.reduce(getattr, ["__class__", "__base__"], 1)
