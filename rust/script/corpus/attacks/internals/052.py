# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import sys
sys.stdout.write("x")
