# expect: imports
import bl_ui
