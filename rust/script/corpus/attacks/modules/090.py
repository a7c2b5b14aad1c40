# SPDX-License-Identifier: GPL-3.0-or-later
# expect: modules
import calendar
print(calendar._locale, calendar.sys)
