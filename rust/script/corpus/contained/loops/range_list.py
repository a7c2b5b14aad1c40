# SPDX-License-Identifier: GPL-3.0-or-later
list(range(int(1e12)))
