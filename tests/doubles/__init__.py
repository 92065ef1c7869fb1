"""Stand-ins for services of others: real HTTP servers on loopback that answer as the services document it."""

from doubles.server import Asked, Said, Server, closed_port

__all__ = ["Asked", "Said", "Server", "closed_port"]
