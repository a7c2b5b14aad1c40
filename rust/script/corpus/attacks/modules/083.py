# SPDX-License-Identifier: GPL-3.0-or-later
# expect: modules
import collections
print(collections._sys.modules)
