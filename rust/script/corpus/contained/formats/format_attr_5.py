# SPDX-License-Identifier: GPL-3.0-or-later
print(format("{0.__class__}", ""))
