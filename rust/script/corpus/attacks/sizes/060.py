# SPDX-License-Identifier: GPL-3.0-or-later
# expect: regexes
import re
re.match(r"(.*)*$", "x" * 50 + "\n\n")
