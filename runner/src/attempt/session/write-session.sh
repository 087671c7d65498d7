#!/bin/sh
# Runs in a container of its own that sees an engine's home read-only, as `sh -c PROGRAM session
# FOLDER NAME MAX_FILES MAX_BYTES`. Writes each plain file below FOLDER whose name has NAME in it
# as a line `SIZE PATH` and exactly SIZE bytes: one that shrinks meanwhile is filled up. An agent
# that swaps a file for a link is shown what this container has, which is nothing of the host; one
# that puts a pipe there makes this container wait for its time limit.
cd "$1" 2>/dev/null || exit 20
left=$4
find . -xdev -type f -name "*$2*" 2>/dev/null | head -n "$3" | while IFS= read -r path; do
  size=$(wc -c <"$path") || continue
  size=$((size))
  left=$((left - size))
  [ "$left" -ge 0 ] || exit 21
  printf '%s %s\n' "$size" "${path#./}"
  { head -c "$size" "$path"; head -c "$size" /dev/zero; } 2>/dev/null | head -c "$size"
done
