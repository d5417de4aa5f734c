"""Brokers with one seeded difference each: what the suite must find.

A seed patches this project's broker in a process of its own; the product has no switch for it.
"""
