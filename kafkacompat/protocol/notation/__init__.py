"""Kafka's messages as data: one module for each API key, in `internal` one for each topic of Kafka's own.

A module gives `KEY`, `LISTENERS` and the texts `REQUEST` and `RESPONSE` (in `internal`: `FRAMING` and `RECORDS`). A
text has a line without indentation for each message, `name versions [flexible=versions] [key=number]`, below it a
line for each field, `name type versions [options]`, and below a field of a struct type, further in, the struct's
fields. A struct that several fields share stands once, at the left, after its message. Options:
`nullable[=versions]`, `tag=number`, `tagged=versions` (where they differ from the field's versions), `default=value`
(otherwise 0, false, empty), `ignorable` (dropped silently where the version lacks the field), `key` (unique in its
array), `flexible=none` (never compact). A message marked `unstable` has a highest version that Kafka does not offer
yet.

The facts are those of Apache Kafka 4.4, older versions as the releases before it have them. What a broker offers is
another matter: see `kafkacompat.broker.registry`. `compiler` turns them into code; see `kafkacompat.protocol.generate`.
"""
