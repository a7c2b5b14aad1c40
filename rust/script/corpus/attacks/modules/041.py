# SPDX-License-Identifier: GPL-3.0-or-later
# expect: modules
import dataclasses
dataclasses.make_dataclass('A', ['x'])
