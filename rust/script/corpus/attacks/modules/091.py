# SPDX-License-Identifier: GPL-3.0-or-later
# expect: modules
import functools
class W: pass
functools.update_wrapper(W(), print, assigned=("__self__",), updated=())
