# SPDX-License-Identifier: GPL-3.0-or-later
t = '%' + '*d'
print(t % (10**9, 1))
