# SPDX-License-Identifier: GPL-3.0-or-later
# expect: names
m = __import__
m('os')
