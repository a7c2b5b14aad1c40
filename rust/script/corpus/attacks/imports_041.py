# expect: imports
import idprop
