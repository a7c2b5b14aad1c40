# SPDX-License-Identifier: GPL-3.0-or-later
l = [0]
for i in range(100):
    l = l * 2
