"""How a peer fails."""


class PeerUnavailableError(Exception):
    """This machine lacks what the peer needs; the message names it and what to install."""


class PeerFailedError(Exception):
    """The peer ran and ended with an error; the message holds its command and its last words."""
