#!/bin/sh
# Adds a fault rule, sees it, removes it; waits, moves the clock, resets: curl, for people and shell scripts. Prints what the broker says last.
set -eu
url=$1
id=$(curl -sf --json '{"when": {"api": "metadata"}, "then": {"delay": {"ms": 5}}, "label": "from curl"}' "$url/v1/faults" |
  sed 's/^{"id": \([0-9]*\),.*/\1/')
curl -sf "$url/v1/faults" | grep -q '"label": "from curl"'
curl -sf "$url/v1/faults/$id" | grep -q '"hits": 0'
curl -sf -X DELETE "$url/v1/faults/$id" >/dev/null
curl -sf --json '{"what": "cluster", "where": {"ready": true}, "timeout_ms": 10000}' "$url/v1/wait" | grep -q '"ready": true'
wall_ms() { sed 's/^{"wall_ms": \([0-9]*\),.*/\1/'; }
before=$(curl -sf "$url/v1/clock" | wall_ms)
after=$(curl -sf --json '{"ms": 300000}' "$url/v1/clock/advance" | wall_ms)
test "$after" -ge $((before + 300000))
curl -sf --json '{"name": "from-curl"}' "$url/v1/topics" | grep -q from-curl
curl -sf --json '{"close_connections": false}' "$url/v1/reset" >/dev/null
curl -sf "$url/v1/topics" | grep -q '"topics": \[\]'
curl -sf "$url/v1/faults"
