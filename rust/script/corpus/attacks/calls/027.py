# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
delattr(1, '__doc__')
