# SPDX-License-Identifier: GPL-3.0-or-later
# expect: names
import bpy as x
def f(x):
    return x
