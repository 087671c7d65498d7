#!/bin/sh
# Runs beside an engine, in a container that sees the same folders, as `sh -c PROGRAM gauge SECONDS
# FOLDER...`. For each line it reads it answers one line with ` KIB:ENTRIES:CLOSED` for each
# folder: `x` for what was not counted within SECONDS, `c` when a folder there is closed to its own
# owner, who is this container's user too. The line `open` has such folders opened first. No path
# is printed: in a tree of a million levels that alone would never end.
limit=$1
shift
within() { timeout -s KILL "$limit" "$@" 2>/dev/null; }
while IFS= read -r order; do
  answer=
  for folder; do
    [ "$order" = open ] && within find "$folder" -xdev -type d ! -perm -500 -exec chmod u+rwx {} \;
    entries=$(within du -sx --inodes "$folder" | cut -f 1)
    [ -n "$entries" ] || entries=$(within find "$folder" -xdev -print0 | tr -dc '\0' | wc -c)
    size=$(within du -sxk "$folder" | cut -f 1)
    closed=$(within find "$folder" -xdev -type d ! -perm -500 -print | head -c 1)
    answer="$answer ${size:-x}:${entries:-x}:${closed:+c}"
  done
  printf '%s\n' "$answer"
done
