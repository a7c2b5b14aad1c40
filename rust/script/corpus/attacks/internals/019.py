# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
del (lambda: 0).__doc__
