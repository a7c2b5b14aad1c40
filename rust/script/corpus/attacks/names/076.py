# SPDX-License-Identifier: GPL-3.0-or-later
# expect: names
E = (KeyboardInterrupt, SystemExit)
try:
    while True: pass
except E:
    pass
