# SPDX-License-Identifier: GPL-3.0-or-later
# expect: parse
x = 1 +
