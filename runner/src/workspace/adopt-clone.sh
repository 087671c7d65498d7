#!/bin/sh
# Runs in the workspace's isolation as `sh -c PROGRAM adopt-clone PATH OBJECTS BRANCH BASE START BASE_BRANCH
# URL NAME EMAIL`. Brings a hook's clone into the form of our own ones: objects borrowed from the mirror, the
# whole history, one branch of the remote, the branch, no log of what the hook did.
cd "$1" || exit 1
objects=$2 branch=$3 base=$4 start=$5 base_branch=$6 url=$7
mkdir -p .git/objects/info && printf '%s\n' "$objects" > .git/objects/info/alternates || exit 1
rm -f .git/shallow
head=$(git rev-parse --verify --quiet 'HEAD^{commit}') || exit 4
git merge-base --is-ancestor "$base" "$head" || exit 4
[ "$start" = "$base" ] && start=$head
git checkout --quiet --no-track -B "$branch" "$start" -- || exit 5
git for-each-ref --format='delete %(refname)' | grep -Fvx "delete refs/heads/$branch" |
  git update-ref --no-deref --stdin || exit 1
git update-ref "refs/heads/$base_branch" "$base" || exit 1
git update-ref "refs/remotes/origin/$base_branch" "$base" || exit 1
rm -rf .git/logs
git config --local --replace-all remote.origin.url "$url" &&
  git config --local --replace-all remote.origin.fetch \
    "+refs/heads/$base_branch:refs/remotes/origin/$base_branch" &&
  git config --local user.name "$8" && git config --local user.email "$9" || exit 1
