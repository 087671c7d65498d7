#!/bin/sh
# Runs inside the workspace's isolation as `sh -c PROGRAM snapshot PATH BASE BRANCH REFS MESSAGE MARK
# STOPPED`. Stages and commits what is dirty, chooses the commit to deliver and writes a bundle to
# standard output: REFS/tip is that commit, REFS/aside-N is work that it does not contain. Findings, each
# a line behind MARK, and all other words go to standard error. GIT_DIR is fixed by the caller, so that a
# destroyed .git never makes git look for a repository further up. REFS is a fresh full name: a branch called
# HEAD makes every short name ambiguous.
#
# In a sparse checkout, files that are not there are no deletions, and what the agent wrote outside
# its folders belongs to the work.
#
# While the agent has a merge, rebase or the like under way, or holds a lock, what is dirty becomes
# a commit beside its branch, made with another index: a plain commit would conclude the merge with
# its conflict markers in it.
cd "$1" || exit 21
base=$2 branch=$3 refs=$4 message=$5 mark=$6 stopped=$7
exec 3>&1 1>&2
finding() { printf '%s%s\n' "$mark" "$*" >&2; }
findings() { while IFS= read -r line; do finding "$line"; done; }
[ -d .git ] && [ ! -L .git ] || { echo 'there is no .git folder'; exit 21; }
git rev-parse --git-dir >/dev/null || exit 21
[ "$stopped" = yes ] && find .git -path .git/objects -prune -o -type f -name '*.lock' -exec rm -f {} +
git cat-file -e "$base^{commit}" || exit 22
sparse=
[ "$(git config --type=bool core.sparseCheckout)" = true ] && sparse=--sparse
. ./stage-work.sh
commit_of() { git rev-parse -q --verify "$1^{commit}"; }

open=
under_way() { open=yes; finding "open $1"; }
[ -e .git/MERGE_HEAD ] && under_way merge
if [ -d .git/rebase-merge ] || [ -d .git/rebase-apply ]; then under_way rebase
elif [ -e .git/CHERRY_PICK_HEAD ]; then under_way cherry_pick
elif [ -e .git/REVERT_HEAD ]; then under_way revert
elif [ -e .git/sequencer/todo ]; then
  # Of several, one was committed by hand: the others wait.
  case $(head -c 6 .git/sequencer/todo) in revert) under_way revert ;; *) under_way cherry_pick ;; esac
fi
[ -e .git/BISECT_LOG ] && under_way bisect
unmerged=$(git diff --name-only -z --diff-filter=U --no-ext-diff -- | sort -zu | sed -z 's/^/unmerged /' | lines_of)
if [ -n "$unmerged" ]; then
  open=yes
  printf '%s\n' "$unmerged" | findings
fi

beside() {
  side=.git/switchyard-index
  rm -rf "$side" "$side.lock"
  head=$(commit_of HEAD)
  (
    export GIT_INDEX_FILE="$side"
    if [ -n "$head" ]; then git read-tree "$head"; else git read-tree --empty; fi || exit 23
    if [ -n "$sparse" ]; then
      GIT_INDEX_FILE=.git/index git ls-files -tz | sed -zn 's/^S //p' |
        git update-index -z --skip-worktree --stdin || exit 23
    fi
    stage || exit $?
    tree=$(git write-tree) || exit 23
    [ -n "$head" ] && [ "$tree" = "$(git rev-parse "$head^{tree}")" ] && exit 0
    git commit-tree "$tree" ${head:+-p "$head"} -m "$message" >.git/switchyard-beside || exit 23
    exit 1
  )
  result=$?
  rm -rf "$side" "$side.lock"
  case $result in
    0) ;;
    1) head=$(cat .git/switchyard-beside); rm -f .git/switchyard-beside ;;
    *) exit $result ;;
  esac
}
killed_or() { if [ "$2" -gt 128 ]; then return "$2"; else return "$1"; fi; }
# A commit leaves out what settings hide of submodules, unless it may be empty.
on_branch() {
  stage || return $?
  git diff --cached --quiet --ignore-submodules=none --no-ext-diff
  case $? in
    0) ;;
    1) git commit -q --allow-empty --no-verify --no-gpg-sign -m "$message" || killed_or 23 $? || return $? ;;
    *) return 23 ;;
  esac
  head=$(commit_of HEAD)
}
if [ -n "$open" ]; then beside
else
  on_branch
  result=$?
  case $result in
    0) ;;
    23) if [ "$stopped" = yes ]; then exit 23; else beside; fi ;;
    *) exit $result ;;
  esac
fi
report_left
. ./choose-work.sh
[ -n "$tip$asides" ] || exit 20
set -- "^$base"
if [ -n "$tip" ]; then
  git update-ref "$refs/tip" "$tip" || exit 24
  set -- "$@" "$refs/tip"
  git merge-base "$base" "$tip" >/dev/null || finding unrelated
fi
number=0
for aside in $asides; do
  number=$((number + 1))
  git update-ref "$refs/aside-$number" "$aside" || exit 24
  set -- "$@" "$refs/aside-$number"
done
git bundle create -q - "$@" >&3
made=$?
shift
for ref in "$@"; do git update-ref -d "$ref"; done
[ $made -eq 0 ] || killed_or 24 $made || exit $?
