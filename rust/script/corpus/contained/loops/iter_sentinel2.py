# SPDX-License-Identifier: GPL-3.0-or-later
list(iter(lambda: 1, 2))
