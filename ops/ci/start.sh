#!/bin/bash
# Starts brokers in the background, waits until they are ready, and writes their addresses to $GITHUB_OUTPUT and
# $GITHUB_ENV. Read from the environment: PYTHON, PORT, BROKERS, SEED, FLAGS, RUNNER_TEMP.
set -euo pipefail

directory=${RUNNER_TEMP:-/tmp}
log=$directory/kafkacompat.log
state=$directory/kafkacompat-state.json
flags=(--port "${PORT:-9092}" --state-file "$state")
[ "${BROKERS:-1}" = 1 ] || flags+=(--brokers "$BROKERS")
[ -z "${SEED:-}" ] || flags+=(--seed "$SEED")
set -f # words of flags may be on several lines, and a * in them is no name of a file
# shellcheck disable=SC2206
flags+=(${FLAGS:-})
set +f

rm -f "$state"
nohup "${PYTHON:-python3}" -m kafkacompat serve "${flags[@]}" > "$log" 2>&1 < /dev/null &
pid=$!
# the state file is written when clients are served and the seed is there
for _ in $(seq 600); do
    [ ! -s "$state" ] || break
    if ! kill -0 "$pid" 2> /dev/null; then
        echo "kafkacompat has ended:" >&2
        cat "$log" >&2
        exit 1
    fi
    sleep 0.1
done
[ -s "$state" ] || { echo "kafkacompat is not ready after a minute:" >&2; cat "$log" >&2; exit 1; }

value() {
    "${PYTHON:-python3}" -c 'import json, sys
state = json.load(open(sys.argv[1]))
print(state.get(sys.argv[2]) or state["brokers"][0].get(sys.argv[2]) or "")' "$state" "$1"
}
servers=$(value bootstrap_servers)
control=$(value control_url)
{
    echo "bootstrap-servers=$servers"
    echo "control-url=$control"
    echo "log=$log"
} >> "${GITHUB_OUTPUT:-/dev/null}"
{
    echo "KAFKACOMPAT_BOOTSTRAP_SERVERS=$servers"
    echo "KAFKACOMPAT_LOG=$log"
    echo "KAFKACOMPAT_PID=$pid"
} >> "${GITHUB_ENV:-/dev/null}"
echo "kafkacompat serves at $servers (process $pid)"
