# SPDX-License-Identifier: GPL-3.0-or-later
# expect: imports
from os import environ as e
print(dict(e))
