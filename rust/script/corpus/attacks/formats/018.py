# SPDX-License-Identifier: GPL-3.0-or-later
# expect: formats
map('{0.__class__}'.format, [1])
