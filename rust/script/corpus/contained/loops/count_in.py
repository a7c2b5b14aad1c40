# SPDX-License-Identifier: GPL-3.0-or-later
import itertools

-1 in itertools.count()
