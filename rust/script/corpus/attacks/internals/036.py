# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
from functools import partial
partial(print, 1).func.__self__
