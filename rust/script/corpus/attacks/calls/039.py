# SPDX-License-Identifier: GPL-3.0-or-later
# expect: calls
from types import SimpleNamespace
s = SimpleNamespace(__class__=1)
