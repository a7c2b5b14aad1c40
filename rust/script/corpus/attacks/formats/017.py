# SPDX-License-Identifier: GPL-3.0-or-later
# expect: formats
w = '>' + '9' * 10
format(1, w)
