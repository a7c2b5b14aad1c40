# SPDX-License-Identifier: GPL-3.0-or-later
# expect: regexes
import re
p = '(a' + '+)+'
re.match(p, 'a')
