# expect: modules
import typing
typing.sys
