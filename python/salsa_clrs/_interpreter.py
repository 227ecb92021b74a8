"""Refuses interpreters that the core was not made for, before it is loaded."""

import sysconfig

if sysconfig.get_config_var("Py_GIL_DISABLED"):
    raise ImportError(
        "salsa_clrs does not run on a free-threaded Python: use the ordinary one of the same "
        "version (python3.14 instead of python3.14t)"
    )
