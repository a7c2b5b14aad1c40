# expect: imports
import http.client
