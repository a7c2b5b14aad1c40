# expect: imports
import requests
