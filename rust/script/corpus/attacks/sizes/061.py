# SPDX-License-Identifier: GPL-3.0-or-later
# expect: regexes
import re
re.search(r"(a|aa)+$", "a" * 60 + "b")
