#!/bin/sh
# Part of snapshot.sh: from `head` (with everything dirty in it), `base` and `branch` it sets `tip`, the
# commit to deliver, and `asides`, further commits of the agent that `tip` does not contain; either may be
# empty. The findings `unclear` and `aside SHA NAME` say what the agent should be asked about.
#
# HEAD alone is not enough: work may be on a branch that was left, on a detached HEAD that was
# left, in any entry of the stash, or beyond the commit at which HEAD stands now. What the agent
# itself rewrote or dropped (amend, reset, rebase) is no work; what it squashed or picked is
# contained already. Entries below the first of the stash are only in its log.
# shellcheck disable=SC2154 # base, branch and head: of snapshot.sh
ahead() { [ -n "$1" ] && [ -n "$(git rev-list -n 1 "$1" "^$base" --)" ]; }
. ./contains.sh
left_by_checkout() {
  away='' seen=' '
  git reflog show --format='%H %gs' HEAD -- | head -n 1000 | while read -r sha action; do
    case "$seen" in
      *" $sha "*) ;;
      *)
        [ -n "$away" ] && seen="$seen$sha "
        case "$away" in checkout:*) printf '%s HEAD@{left}\n' "$sha" ;; esac
        ;;
    esac
    away=$action
  done
}
all_work() {
  printf 'refs/heads/%s\n' "$branch"
  git for-each-ref --count=200 --sort=-creatordate --format='%(refname)'
}
stashed() {
  entry=0
  { git reflog show --format=%H refs/stash -- 2>/dev/null; commit_of refs/stash; } | head -n 50 | while read -r sha; do
    printf '%s stash@{%s}\n' "$sha" "$entry"
    entry=$((entry + 1))
  done
}
named_work() {
  all_work | while IFS= read -r name; do
    case $name in
      refs/stash | refs/remotes/* | refs/switchyard/* | refs/notes/* | refs/replace/* | refs/original/* | refs/rewritten/*) continue ;;
    esac
    sha=$(commit_of "$name") && printf '%s %s\n' "$sha" "$name"
  done
  left_by_checkout | head -n 50
  stashed
}
known=' '
work=$(named_work | while read -r sha name; do
  case $known in *" $sha "*) continue ;; esac
  known="$known$sha "
  ahead "$sha" && printf '%s %s\n' "$sha" "$name"
done)
each_work() { [ -z "$work" ] || printf '%s\n' "$work"; }
unstashed() { each_work | grep -v ' stash@{[0-9]*}$'; }

tip='' found_at='' unclear=''
if ahead "$head"; then
  tip=$head found_at=HEAD
else
  first=$(unstashed | head -n 1)
  tip=${first%% *} found_at=${first#* }
fi
grown=yes
while [ -n "$tip" ] && [ -n "$grown" ]; do
  grown=$(unstashed | while read -r sha name; do
    [ "$sha" != "$tip" ] && is_ancestor "$tip" "$sha" && printf '%s %s\n' "$sha" "$name" && break
  done)
  [ -n "$grown" ] || break
  [ "$found_at" = HEAD ] && git symbolic-ref -q HEAD >/dev/null && unclear=yes
  tip=${grown%% *} found_at=${grown#* }
done
case $found_at in 'HEAD@{left}') unclear=yes ;; esac

asides=
add_aside() {
  asides="$asides $1"
  finding "aside $1 $2 $(git log -1 --format=%s "$1" -- | cut -c 1-200)"
}
while read -r sha name; do
  [ -n "$sha" ] && [ "$sha" != "$tip" ] || continue
  [ -n "$tip" ] && contains "$tip" "$sha" && continue
  covered=
  for aside in $asides; do is_ancestor "$sha" "$aside" && covered=yes; done
  [ -n "$covered" ] && continue
  [ "$(printf '%s' "$asides" | wc -w)" -ge 20 ] && break
  add_aside "$sha" "$name"
done <<WORK
$work
WORK
[ -n "$asides" ] && [ "$found_at" != HEAD ] && unclear=yes
[ -n "$unclear" ] && finding "unclear $found_at"
