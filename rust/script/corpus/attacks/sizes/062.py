# SPDX-License-Identifier: GPL-3.0-or-later
# expect: regexes
import re
re.match("a?" * 30 + "a" * 30, "a" * 30)
