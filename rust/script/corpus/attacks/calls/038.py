# SPDX-License-Identifier: GPL-3.0-or-later
# expect: calls
t = type(1)
print(t)
