# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
print("{x.__class__}".format_map({"x": 1}))
