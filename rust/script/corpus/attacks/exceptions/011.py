# SPDX-License-Identifier: GPL-3.0-or-later
# expect: exceptions
try:
    while True: pass
except:
    pass
