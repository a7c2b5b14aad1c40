# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
n = '__class__'
getattr(1, n)
