# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
setattr(1, '__class__', 2)
