# SPDX-License-Identifier: GPL-3.0-or-later
# expect: modules
import typing
class A:
    x: "__import__('os').system('id > /tmp/x')"
print(typing.get_type_hints(A))
