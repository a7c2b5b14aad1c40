# SPDX-License-Identifier: GPL-3.0-or-later
# expect: formats
'%.*f' % (10**9, 1.0)
