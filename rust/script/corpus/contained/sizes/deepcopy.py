# SPDX-License-Identifier: GPL-3.0-or-later
import copy

x = [0] * 1000000
while True:
    x = [copy.deepcopy(x)]
    if not x:
        break
