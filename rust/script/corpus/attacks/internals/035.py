# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
p = property(lambda s: 1)
p.fget.__globals__
