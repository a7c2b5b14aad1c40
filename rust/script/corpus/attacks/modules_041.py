# expect: modules
import enum
enum.sys.modules
