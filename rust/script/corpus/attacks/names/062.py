# SPDX-License-Identifier: GPL-3.0-or-later
# expect: names
print((e := eval)("1+1"))
