#!/bin/sh
# Runs as `sh -c PROGRAM switchyard STATE NODE DEADMAN DEADLINE EXPIRED COMMAND...`: COMMAND, and beside it
# the dead man's switch; how it ended is in STATE/exit, EXPIRED where its time was over. COMMAND is never
# parsed by a shell. The trap keeps this waiting shell alive through signals without handing "ignored" to
# the engine. At its end it starts nothing: while an attempt is being killed, that would be killed too.
state=$1 node=$2 deadman=$3 deadline=$4 expired=$5
shift 5
trap : TERM INT HUP
# Before the engine and by the same process, so that no moment exists with one and not the other.
"$node" "$deadman" "$state" "$deadline" >/dev/null &
# shellcheck disable=SC2016 # for the shell that becomes the engine
sh -c 'echo $$ >"$0"; exec "$@"' "$state/engine.pid" "$@"
code=$?
if [ -e "$state/expired" ]; then code=$expired; fi
echo "$code" >"$state/exit"
