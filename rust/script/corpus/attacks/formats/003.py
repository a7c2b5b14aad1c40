# SPDX-License-Identifier: GPL-3.0-or-later
# expect: formats
x = '{0.__class__.__base__}'
x.format(1)
