# SPDX-License-Identifier: GPL-3.0-or-later
# expect: formats
('%' + '9' * 9 + 'd') % (1,)
