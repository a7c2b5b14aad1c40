# SPDX-License-Identifier: GPL-3.0-or-later
n = len('abc') * 10**8
f'{1:{n}}'
