# SPDX-License-Identifier: GPL-3.0-or-later
# expect: scan
print(1)print(2)
