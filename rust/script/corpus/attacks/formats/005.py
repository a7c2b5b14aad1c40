# SPDX-License-Identifier: GPL-3.0-or-later
# expect: formats
f = '{}'.format
f(1)
