# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
g = (i for i in range(3))
print(g.gi_frame.f_back.f_globals)
