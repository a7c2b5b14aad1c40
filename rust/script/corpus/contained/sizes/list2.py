# SPDX-License-Identifier: GPL-3.0-or-later
l = [1]
l.extend(iter(l))
