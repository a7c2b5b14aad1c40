# SPDX-License-Identifier: GPL-3.0-or-later
# expect: calls
from functools import partial
partial(getattr, 1)
