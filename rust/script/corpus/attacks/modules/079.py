# SPDX-License-Identifier: GPL-3.0-or-later
# expect: modules
import re
print(re.enum.sys.modules)
