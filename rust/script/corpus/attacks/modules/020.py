# SPDX-License-Identifier: GPL-3.0-or-later
# expect: modules
import time
time.sleep(10**6)
