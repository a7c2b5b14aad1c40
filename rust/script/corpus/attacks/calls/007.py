# SPDX-License-Identifier: GPL-3.0-or-later
# expect: calls
delattr(1, 'a' + 'b')
