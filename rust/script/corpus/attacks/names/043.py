# SPDX-License-Identifier: GPL-3.0-or-later
# expect: names
[x for __builtins__ in [1]]
