# SPDX-License-Identifier: GPL-3.0-or-later
a = b = c = 999
print(f"{1:{a}{b}{c}}")
