# SPDX-License-Identifier: GPL-3.0-or-later
n = "real"
print(getattr(1, n))
n = "__class__"
print(getattr(1, n))
