"""The control API over HTTP: connections, routes, their schemas and their document."""
