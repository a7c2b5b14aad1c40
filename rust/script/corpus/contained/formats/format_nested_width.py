# SPDX-License-Identifier: GPL-3.0-or-later
'{:{}}'.format(1, 10**9)
