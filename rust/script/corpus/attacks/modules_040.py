# expect: modules
import re
re.sys
