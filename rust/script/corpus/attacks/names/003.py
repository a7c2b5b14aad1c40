# SPDX-License-Identifier: GPL-3.0-or-later
# expect: names
compile('1', 'x', 'eval')
