# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
def f(): yield 1
print(f().gi_code.co_consts)
