# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
print([c for c in type(1).mro()])
