# SPDX-License-Identifier: GPL-3.0-or-later
# expect: calls
list(map(type, [1]))
