#!/bin/sh
# Runs in the workspace's isolation as `sh -c PROGRAM hooks-tree PATH`: prints the tree that its files
# are, and remembers what lies below submodules. The workspace's index stays as it is.
. ./submodule-changes.sh
cd "$1" || exit 1
index=$(mktemp) && cp .git/index "$index" || exit 1
GIT_INDEX_FILE=$index git add -A && GIT_INDEX_FILE=$index git write-tree
made=$?
rm -f "$index"
hooks_left
exit $made
