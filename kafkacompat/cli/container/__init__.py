"""The start of the broker inside our container image. The scripts in `docker/rootfs/` call it.

`settings` makes a node's settings from the variables, a mounted file and defaults; `start` serves, runs the hooks and
prints the lines that other programs wait for; `health` is the image's health check.
"""
