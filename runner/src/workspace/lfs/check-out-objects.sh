#!/bin/sh
# Runs inside the workspace's isolation as `sh -c PROGRAM lfs PATH FILES`. git-lfs is set up for this clone
# alone: a checkout leaves pointers, since nothing can be fetched in there. With FILES `yes`
# `git lfs checkout` makes files of those whose objects are known; what is no pointer is left alone.
#
# Files that git has as they are, from before their paths were given to LFS, are taken for unchanged
# first: with the filter each would be a change that nobody made. That lasts only when the index is
# written in a later second than they were. Where files are missing, by a sparse checkout or because they
# were deleted, only what is there is named: all else would be made.
cd "$1" || exit 21
sleep 1
git -c filter.lfs.process= -c filter.lfs.clean= -c filter.lfs.required=false \
  update-index -q --refresh --force-write-index >/dev/null 2>&1
git lfs install --local --force --skip-smudge --skip-repo >/dev/null || exit 1
[ "$2" = yes ] || exit 0
of_lfs=':(attr:filter=lfs)'
if [ "$(git config --type=bool core.sparseCheckout)" = true ] || [ -n "$(git ls-files -dz "$of_lfs" | head -c 1)" ]
then
  git ls-files -tz "$of_lfs" | sed -zn 's,^H ,./,p' |
    xargs -0 -r sh -c 'find "$@" -maxdepth 0 -type f -size -3 -print0' sh 2>/dev/null |
    sed -z 's,^[.]/,,; s/[][*?\\]/\\&/g' | xargs -0 -r git lfs checkout --
else git lfs checkout
fi >/dev/null
