# SPDX-License-Identifier: GPL-3.0-or-later
s = "a"
for i in range(20):
    s = s.replace("a", "a" * 1000)
