"""The image with a container engine: the built image itself, and testcontainers' modules in five languages.

They need `docker` with a running engine, `DOCKER_HOST` naming it; without one they are left out, and say so.
"""
