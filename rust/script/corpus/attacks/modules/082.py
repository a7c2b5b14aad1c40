# SPDX-License-Identifier: GPL-3.0-or-later
# expect: modules
import dataclasses
dataclasses.make_dataclass("X", [("a", "__import__('os').system('id > /tmp/x')")])
