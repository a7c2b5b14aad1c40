# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
match 1:
    case object(real=object(__self__=g)) | object(imag=g):
        pass
