# SPDX-License-Identifier: GPL-3.0-or-later
# expect: imports
from typing import get_type_hints
