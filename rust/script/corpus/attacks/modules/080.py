# SPDX-License-Identifier: GPL-3.0-or-later
# expect: modules
import json
print(json.codecs.open("/tmp/x", "w"))
