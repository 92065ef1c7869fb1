"""The real command-line agents, run against a scripted model server on loopback with dummy keys and logins."""
