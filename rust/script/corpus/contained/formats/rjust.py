# SPDX-License-Identifier: GPL-3.0-or-later
n = 10**6
n = n * n
"x".rjust(n)
