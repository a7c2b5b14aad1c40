# expect: imports
import webbrowser
