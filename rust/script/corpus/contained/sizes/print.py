# SPDX-License-Identifier: GPL-3.0-or-later
for i in range(10**7):
    print("x" * 1000)
