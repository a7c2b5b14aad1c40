# SPDX-License-Identifier: GPL-3.0-or-later
import operator
n = "__globals" + "__"
def f(): pass
print(operator.attrgetter(n)(f))
