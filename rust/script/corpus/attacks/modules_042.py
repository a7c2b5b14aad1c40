# expect: modules
import dataclasses
dataclasses.make_dataclass('A', ['x'])
