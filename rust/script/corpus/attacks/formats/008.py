# SPDX-License-Identifier: GPL-3.0-or-later
# expect: formats
s = input_text = 'x'
s.upper().format(1)
