#!/bin/sh
# `is_ancestor` and `contains COMMIT OTHER`, for programs that set `base`: whether COMMIT has all the work of
# OTHER beyond the base, also squashed, picked or signed anew. The base must be there.
# shellcheck disable=SC2154 # base: of the program
is_ancestor() { git merge-base --is-ancestor "$1" "$2"; }
contains() {
  [ -z "$(git rev-list -n 1 "$2" "^$1" "^$base" --)" ] && return 0
  git log --format=%T "$1" "^$base" -- | grep -Fxq "$(git rev-parse "$2^{tree}")" && return 0
  [ -z "$(git rev-list -n 1 --merges "$2" "^$1" "^$base" --)" ] || return 1
  ! git cherry "$1" "$2" "$base" | grep -q '^+'
}
