# SPDX-License-Identifier: GPL-3.0-or-later
# expect: names
x: eval("1") = 3
