# SPDX-License-Identifier: GPL-3.0-or-later
import logging

logging.basicConfig(level=logging.DEBUG)
logging.error("%*d", 10**10 // 3, 1)
