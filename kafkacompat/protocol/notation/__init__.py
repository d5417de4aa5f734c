"""Kafka's messages as data: one module per API key, and in `internal` one per internal topic or file.

A module has `KEY`, `LISTENERS` and the texts `REQUEST` and `RESPONSE` (in `internal`: `FRAMING` and `RECORDS`). A text
has an unindented line for each message, `name versions [flexible=versions] [key=number]`, below it a line for each
field, `name type versions [options]`, and below a field of a struct type, further indented, the struct's fields. A
struct that several fields share is defined once, unindented, after its message. Options:
`nullable[=versions]`, `tag=number`, `tagged=versions` (where they differ from the field's versions), `default=value`
(otherwise 0, false, empty), `ignorable` (dropped silently where the version lacks the field), `key` (unique in its
array), `flexible=none` (never compact). A message marked `unstable` has a highest version that Kafka does not offer
yet.

The notation follows Apache Kafka 4.4, and earlier releases for older versions. `kafkacompat.broker.registry` lists the
versions that a broker offers. `compiler` generates the code; see `kafkacompat.protocol.generate`.
"""
