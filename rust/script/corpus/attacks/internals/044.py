# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import functools
p = functools.partial(print)
p.__setstate__((eval, ("1",), {}, None))
p()
