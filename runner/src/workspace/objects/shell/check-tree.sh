#!/bin/sh
# Runs inside the workspace's isolation as `sh -c PROGRAM check-tree PATH TREE MODE` and prints, with a
# NUL behind each, at most 500 names of files that differ from TREE or that it does not have:
#
# - `begin`: before the first check. Where nothing differs, it remembers index and HEAD in a folder.
# - `keep`: the same with the tree that the files are, whose id it prints first; TREE is not read.
# - `look`: while checks run.
# - `put-back`: makes files, index and HEAD as they were remembered, and prints what still differs.
#   Does nothing where nothing is remembered.
#
# Ignored files are left alone. Paths go from one program to the next with a NUL behind each.
cd "$1" || exit 1
tree=$2 mode=$3 state=.git/switchyard-check
[ -d .git ] && [ ! -L .git ] || { echo 'there is no .git folder' >&2; exit 1; }
[ -d "$state" ] || [ "$mode" != put-back ] || exit 0
differing() {
  git -c core.trustctime=true -c core.checkStat=default diff --name-only -z --no-renames --no-ext-diff --ignore-submodules=dirty -- >"$state/tracked" &&
    git ls-files -z --others --exclude-standard >"$state/new"
}
tree_of_files() {
  sparse='' added=$(mktemp) && cp .git/index "$added" || return 1
  [ "$(git config --type=bool core.sparseCheckout)" != true ] || sparse=--sparse
  # shellcheck disable=SC2086 # sparse may be empty
  GIT_INDEX_FILE=$added git add -A $sparse && GIT_INDEX_FILE=$added git write-tree
  made=$?
  rm -f "$added"
  return $made
}
remember() {
  rm -rf "$state" && mkdir "$state" || return 1
  { git symbolic-ref -q HEAD || echo -; } >"$state/head" && git rev-parse HEAD >>"$state/head" || return 1
  [ ! -f .git/logs/HEAD ] || cp .git/logs/HEAD "$state/log" || return 1
  cp .git/index "$state/kept" && cp "$state/kept" "$state/index" || return 1
  GIT_INDEX_FILE=$state/index git read-tree --reset "$tree"
}
# What git was told not to look at counts where it is there.
unhide() {
  # shellcheck disable=SC2016 # for the shell that xargs starts
  git ls-files -vz | sed -zn 's/^[a-z] //p' | git update-index -z --no-assume-unchanged --stdin &&
    git ls-files -tz | sed -zn 's/^S //p' |
    xargs -0r sh -c 'for file do [ ! -e "$file" ] && [ ! -L "$file" ] || printf "%s\0" "$file"; done' sh |
    git update-index -z --no-skip-worktree --stdin
}
if [ "$mode" = keep ]; then
  tree=$(tree_of_files) || exit 1
  printf '%s\0' "$tree"
  mode=begin
fi
[ "$mode" != begin ] || remember || exit 1
# A check may have stopped right in the middle of remembering.
[ -f "$state/index" ] || { rm -rf "$state"; exit 0; }
export GIT_INDEX_FILE="$state/index"
[ "$mode" != begin ] || unhide || exit 1
restore() {
  rm -f "$state/index.lock"
  differing || return 1
  xargs -0r rm -rf -- <"$state/new" && git checkout-index -f -q -z --stdin <"$state/tracked"
}
if [ "$mode" = put-back ]; then
  # What new rules of a check had hidden shows at the second time.
  restore && restore || exit 1
  rm -f .git/index.lock
  cp "$state/kept" .git/index || exit 1
  { read -r ref; read -r sha; } <"$state/head"
  if [ "$ref" = - ]; then git update-ref --no-deref HEAD "$sha" || exit 1
  else git symbolic-ref HEAD "$ref" && git update-ref "$ref" "$sha" || exit 1
  fi
  [ ! -f "$state/log" ] || cp "$state/log" .git/logs/HEAD
fi
differing || exit 1
sort -zu "$state/tracked" "$state/new" | head -z -n 500 | head -c 500000
if [ -s "$state/tracked" ] || [ -s "$state/new" ]; then done_with=begin; else done_with=put-back; fi
[ "$mode" != "$done_with" ] || rm -rf "$state"
