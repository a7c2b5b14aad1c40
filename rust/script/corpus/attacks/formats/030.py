# SPDX-License-Identifier: GPL-3.0-or-later
# expect: formats
n = 10**9
print(f"{1:{n}}")
