# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
(lambda: 0).__globals__
