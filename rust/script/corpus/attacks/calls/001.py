# SPDX-License-Identifier: GPL-3.0-or-later
# expect: calls
getattr(1, '__cl' + 'ass__')
