# SPDX-License-Identifier: GPL-3.0-or-later
import textwrap
x = textwrap.indent("a\n" * 10**6, "b" * 10**6)
