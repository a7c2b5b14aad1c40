# SPDX-License-Identifier: GPL-3.0-or-later
t = ()
for i in range(40):
    t = (t, t)
print(len(t))
