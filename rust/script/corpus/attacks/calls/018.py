# SPDX-License-Identifier: GPL-3.0-or-later
# expect: calls
f = setattr
f(1, 'x', 2)
