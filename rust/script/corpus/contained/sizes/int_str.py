# SPDX-License-Identifier: GPL-3.0-or-later
int("7" * 4000) ** 50
