# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
print(hasattr(1, "__subclasshook__"))
