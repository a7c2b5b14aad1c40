# SPDX-License-Identifier: GPL-3.0-or-later
# expect: imports
from string import Template
class T(Template):
    idpattern = "(a+)+$"
print(T("$" + "a" * 60 + "!").safe_substitute())
