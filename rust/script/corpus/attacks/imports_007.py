# expect: imports
import urllib.request
