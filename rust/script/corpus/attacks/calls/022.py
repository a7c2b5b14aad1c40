# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
getattr(1, '__class__')
