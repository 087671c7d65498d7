#!/bin/sh
# Runs in the workspace's isolation as `sh -c PROGRAM stand-at PATH COMMIT BASE BRANCH FILES ACT` and prints
# HEAD. With the ACT `move` it puts HEAD at COMMIT, on no branch, so that no branch moves. FILES is `same` where
# the files are those of COMMIT, `hook` where a hook has just made the clone, and else their tree. Answers:
#
# - 3: COMMIT is not here;
# - 4: there are changes that are not committed;
# - 5: there are commits that COMMIT does not contain;
# - 6: COMMIT could not be checked out.
#
# Where files would change, only what is committed and contained in COMMIT is left behind, and no ignored file
# is overwritten or comes to be one that git would add.
cd "$1" || exit 1
commit=$2 base=$3 branch=$4 files=$5 act=$6
[ -d .git ] && [ ! -L .git ] || { echo 'there is no .git folder' >&2; exit 1; }
. ./contains.sh
head=$(git rev-parse -q --verify 'HEAD^{commit}') || exit 1
printf '%s\n' "$head"
git cat-file -e "$commit^{commit}" || exit 3
case $files in
  same) ;;
  hook) [ "$head" = "$commit" ] || exit 5 ;;
  *)
    [ "$files" = "$(git rev-parse "$head^{tree}")" ] || exit 4
    git cat-file -e "$base^{commit}" || exit 5
    for name in HEAD "refs/heads/$branch"; do
      work=$(git rev-parse -q --verify "$name^{commit}") || continue
      contains "$commit" "$work" || exit 5
    done
    ;;
esac
[ "$act" = move ] || exit 0
if [ "$files" = same ]; then
  git update-ref --no-deref HEAD "$commit" && git read-tree --reset "$commit" || exit 6
  exit 0
fi
former=$(git symbolic-ref -q --short HEAD) || former=$head
git checkout -q --no-overwrite-ignore --detach "$commit" -- || exit 6
[ "$(git status --porcelain -z --ignore-submodules=dirty | wc -c)" -eq 0 ] && exit 0
git checkout -q "$former" --
echo 'files or submodules are in its way' >&2
exit 6
