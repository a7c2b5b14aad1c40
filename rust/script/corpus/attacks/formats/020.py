# SPDX-License-Identifier: GPL-3.0-or-later
# expect: formats
f'%{9}d' % 1
