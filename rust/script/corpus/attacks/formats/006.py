# SPDX-License-Identifier: GPL-3.0-or-later
# expect: formats
str.format('{0.__class__}', 1)
