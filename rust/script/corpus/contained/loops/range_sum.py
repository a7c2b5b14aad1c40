# SPDX-License-Identifier: GPL-3.0-or-later
n = int(1e13)
sum(range(n))
