"""Texts."""

TEXTS: dict[str, str] = {}
