# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
print([].append.__self__)
