# SPDX-License-Identifier: GPL-3.0-or-later
# expect: names
open('/etc/passwd').read()
