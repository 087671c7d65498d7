#!/bin/sh
# Part of snapshot.sh and hooks-tree.sh: when everything dirty is in the index, `submodule_changes` names
# what no commit of this repository can hold, because it lies below the folder of a submodule. Where no
# repository is checked out that is every file, and git itself looks at none. Where one is, it is
# what differs from its HEAD, and the commits that its HEAD does not have; where HEAD stands is in
# the index, as the submodule's pointer. At most five paths of each submodule, and submodules of
# submodules eight deep. A path is written as `FOLDER//NAME`, which no path of git is.
#
# `settled` prints, as lines for `update-index --index-info`, the pointers that stand in the index while
# the submodule is checked out at a commit of before: git moves no checkout with a merge, and adding
# everything would take the pointer back. A HEAD that the branch has not had yet is a move.
#
# Settings of git that hide changes of submodules count nowhere.
#
# `hooks_left` writes down what there is before the agent begins. Such a path is named only when its file is
# newer than that list: its line then stands twice, of which the list takes one away.
#
# A folder that is gone takes the pointer out of the index: unless .gitmodules forgets it as well,
# that is named too.
# shellcheck disable=SC2154 # base: of snapshot.sh
name_changes=$(cat ./name-changes.sh)
probe_below=$(cat ./probe-below.sh)
settled_pointers=$(cat ./settled-pointers.sh)
removed_submodules=$(cat ./removed-submodules.sh)
settled() {
  git ls-files -s -z | sed -zn 's/^160000 \([0-9a-f]*\) 0\t/\1 /p' | head -z -n 2000 |
    xargs -0 -r sh -c "$settled_pointers" "$base"
}
below() {
  export probe_below name_changes known most
  git ls-files -s -z | sed -zn 's/^160000 [0-9a-f]* [0-9]\t//p' | uniq -z | head -z -n 2000 |
    xargs -0 -r sh -c "$probe_below" probe "$PWD" '' 1
}
hooks_left=.git/switchyard-hooks-left
hooks_left() {
  known=/dev/null most=100000
  rm -rf "$hooks_left"
  below | sort -z >"$hooks_left"
}
submodule_changes() {
  known=$PWD/$hooks_left most=5
  [ -f "$known" ] && [ ! -L "$known" ] || known=/dev/null
  below
  git diff --cached --raw -z --ignore-submodules=none --no-renames --no-ext-diff "$base" -- |
    sed -zn 'h; n; x; /^:160000 160000 /d; /^:160000 /{x; p}' |
    xargs -0 -r sh -c "$removed_submodules" sh
}
