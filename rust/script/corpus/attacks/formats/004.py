# SPDX-License-Identifier: GPL-3.0-or-later
# expect: formats
'{a.b}'.format(a=1)
