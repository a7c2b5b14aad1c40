# SPDX-License-Identifier: GPL-3.0-or-later
t = ()
for i in range(100):
    t = t + t + (1,)
