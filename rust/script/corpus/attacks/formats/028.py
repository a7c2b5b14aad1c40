# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import operator
print("{0.__class__}".__format__(""))
