# SPDX-License-Identifier: GPL-3.0-or-later
# expect: names
__doc__.x = 1
