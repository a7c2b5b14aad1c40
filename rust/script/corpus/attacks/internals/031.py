# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
print(print.__self__)
