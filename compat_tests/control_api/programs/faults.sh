#!/bin/sh
# Adds a fault rule, sees it, removes it: curl, for people and shell scripts. Prints what the broker says last.
set -eu
url=$1
id=$(curl -sf --json '{"when": {"api": "metadata"}, "then": {"delay": {"ms": 5}}, "label": "from curl"}' "$url/v1/faults" |
  sed 's/^{"id": \([0-9]*\),.*/\1/')
curl -sf "$url/v1/faults" | grep -q '"label": "from curl"'
curl -sf "$url/v1/faults/$id" | grep -q '"hits": 0'
curl -sf -X DELETE "$url/v1/faults/$id" >/dev/null
curl -sf "$url/v1/faults"
