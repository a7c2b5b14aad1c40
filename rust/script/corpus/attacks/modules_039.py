# expect: modules
import json
json.codecs.open('x')
