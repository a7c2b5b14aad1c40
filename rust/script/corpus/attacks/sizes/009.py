# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
b'x' * (1 << 40)
