# SPDX-License-Identifier: GPL-3.0-or-later
# expect: formats
'%*d' % (10**9, 1)
