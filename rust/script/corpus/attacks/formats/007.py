# SPDX-License-Identifier: GPL-3.0-or-later
# expect: formats
('{0.__cl' + 'ass__}').format(1)
