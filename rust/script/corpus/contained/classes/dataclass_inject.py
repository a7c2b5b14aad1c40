# SPDX-License-Identifier: GPL-3.0-or-later
from dataclasses import dataclass


@dataclass
class A:
    x: "__import__('os').system('touch /tmp/sx_pwned')" = 1


print(A())
