# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
print.__self__.eval('1')
