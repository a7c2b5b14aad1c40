# SPDX-License-Identifier: GPL-3.0-or-later
# expect: calls
map(getattr, [1], ['x'])
