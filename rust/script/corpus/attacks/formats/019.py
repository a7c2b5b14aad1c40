# SPDX-License-Identifier: GPL-3.0-or-later
# expect: formats
x = ['{0.__class__}']
x[0].format(1)
