# expect: imports
import socket
