#!/bin/sh
# Runs as `sh -c PROGRAM sh MEMORY_KIB SOFT_CPU_SECONDS HARD_CPU_SECONDS FILE_BLOCKS COMMAND...`: COMMAND
# under these limits. Where a lower limit is in force already, that one stays. A write beyond the file
# limit fails with words instead of a signal.
# shellcheck disable=SC3045 # an sh without one of these limits says so to nobody
trap '' XFSZ
ulimit -c 0 2>/dev/null
ulimit -d "$1" 2>/dev/null
ulimit -H -t "$3" 2>/dev/null
ulimit -S -t "$2" 2>/dev/null
ulimit -f "$4" 2>/dev/null
shift 4
exec "$@"
