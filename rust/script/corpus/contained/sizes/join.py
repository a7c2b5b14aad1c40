# SPDX-License-Identifier: GPL-3.0-or-later
print(len(",".join(["x" * 10000] * 1000000)))
