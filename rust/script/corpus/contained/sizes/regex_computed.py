# SPDX-License-Identifier: GPL-3.0-or-later
import re
p = '(a' + '+)+'
re.match(p + '$', 'a' * 60 + 'b')
