# SPDX-License-Identifier: GPL-3.0-or-later
# expect: names
import math
print(vars(math)["__loader__"])
