# SPDX-License-Identifier: GPL-3.0-or-later
# expect: formats
w = 10**9
f'{1:>{w}}'
