"""The operations of the routes: each translates a request, and calls what does the work."""
