# SPDX-License-Identifier: GPL-3.0-or-later
# expect: modules
from os import path
print(path.exists("/etc/passwd"))
