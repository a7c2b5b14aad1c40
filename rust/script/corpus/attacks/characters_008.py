# expect: scan
﻿x = 1
