# SPDX-License-Identifier: GPL-3.0-or-later
# expect: formats
'%1000000000d' % 1
