# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
().__class__.__bases__[0].__subclasses__()
