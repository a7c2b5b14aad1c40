# SPDX-License-Identifier: GPL-3.0-or-later
# expect: modules
import functools
functools.singledispatch(print)
