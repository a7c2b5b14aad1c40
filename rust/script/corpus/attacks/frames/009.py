# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
[f.f_back for f in []]
