# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
x = 1
print(f"{x.__class__!r:{'>'}{10}}")
