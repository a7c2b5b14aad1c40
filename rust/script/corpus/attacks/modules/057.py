# SPDX-License-Identifier: GPL-3.0-or-later
# expect: modules
import random
random._os.system("true")
