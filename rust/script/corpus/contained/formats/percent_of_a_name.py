# SPDX-License-Identifier: GPL-3.0-or-later
t = '%' + '9' * 9 + 'd'
print(t % (1,))
