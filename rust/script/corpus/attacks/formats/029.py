# SPDX-License-Identifier: GPL-3.0-or-later
# expect: formats
print("".join(map("{0.__init__.__globals__}".format, [print])))
