# SPDX-License-Identifier: GPL-3.0-or-later
# expect: formats
t = "{0." + "__class__" + "}"
print(t.format(1))
