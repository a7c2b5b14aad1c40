# SPDX-License-Identifier: GPL-3.0-or-later
"""The exceptions of geonode_core; the native module embeds this file and runs it once."""


class CoreError(Exception):
    """Anything that went wrong in the core. Decide by ``code``, never by the text."""

    def __init__(self, code, message, retryable=False, details=None):
        super().__init__(code, message, retryable, details)
        self.code = code
        self.message = message
        self.retryable = retryable
        self.details = {} if details is None else details

    def __str__(self):
        return f"{self.message} [{self.code}]"


class ProtocolError(CoreError):
    """What was given does not have its form."""


class PolicyError(CoreError):
    """A safety rule forbids it."""


class PatchError(CoreError):
    """A plan cannot be compiled against the present state."""


class ProviderError(CoreError):
    """The language model's provider failed or refused."""


class ScriptTimeout(CoreError):
    """A script took longer than it may."""


class Cancelled(CoreError):
    """The call was cancelled."""


class InternalError(CoreError):
    """A defect of the core; the trace is in the local log only."""


class _Stopped(BaseException):
    """Raised inside a script at its limit; no ``except Exception`` catches it, and it never leaves the core."""
