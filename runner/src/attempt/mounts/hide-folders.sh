#!/bin/sh
# Runs in a container of its own as `sh -c PROGRAM hide PATH BIT MARKER FOLDER...`. An engine whose
# folder is hidden sees its files as gone: the index leaves them alone, or every commit of the agent
# would delete them. Afterwards links come back that stood in a folder's place.
cd "$1" || exit 21
bit=$2 marker=$3
shift 3
for folder; do
  git --literal-pathspecs ls-files -z -- "$folder" | git update-index -z "$bit" --stdin || exit 22
done
case $bit in
  --skip-worktree) printf '%s\n' "$@" >".git/$marker" ;;
  *)
    while IFS= read -r name; do
      rmdir -- "$name" 2>/dev/null
      git --literal-pathspecs ls-files -z -d -- "$name" | git checkout-index -z -q --stdin
    done <".git/$marker"
    rm -f ".git/$marker"
    ;;
esac
