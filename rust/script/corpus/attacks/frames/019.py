# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
g = (g.gi_frame.f_back.f_back for _ in [1])
print([x for x in g])
