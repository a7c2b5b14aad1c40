# SPDX-License-Identifier: GPL-3.0-or-later
sorted(range(10**6), key=lambda x: [i for i in range(1000)])
