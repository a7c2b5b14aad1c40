# SPDX-License-Identifier: GPL-3.0-or-later
print(0.5 in range(int(1e15)))
