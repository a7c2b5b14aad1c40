# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
x = (i for i in [1])
x.gi_frame.f_locals['x'] = 2
