# SPDX-License-Identifier: GPL-3.0-or-later
import json

x = []
for i in range(30):
    x = [x, x]
json.dumps(x)
