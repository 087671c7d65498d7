#!/bin/sh
# Part of snapshot.sh: `stage` puts everything dirty into the index and answers 0, 23 where git refuses it for
# a reason that only its words tell, or how a git ended that was killed. What git cannot take is left out of
# the index, so that the rest is kept; `report_left` names it as findings.
#
# A folder with a .git of its own would be committed as a mere pointer to a commit that nobody
# else has: unless .gitmodules declares it, it is left out. Such pointers of earlier commits are
# forgotten first, because git keeps them even after the inner .git is gone.
#
# Paths go from one program to the next with a NUL behind each. In `$left` each has its rule before
# it; folders that cannot be opened are known only from git's own words.
# shellcheck disable=SC2086,SC2154 # base and sparse, which may be empty: of snapshot.sh
. ./submodule-changes.sh
embedded_folders=$(cat ./embedded-folders.sh)
untaken_paths=$(cat ./untaken-paths.sh)
left=.git/switchyard-left words=.git/switchyard-words kept=.git/switchyard-kept
pointers() {
  git diff --cached --raw -z --ignore-submodules=none --no-renames --no-ext-diff "$base" -- |
    sed -zn 'h; n; x; /^:160000 /d; /^:[0-7]* 160000 /{x; p}'
}
embedded() {
  pointers | xargs -0 sh -c "$embedded_folders" sh
}
untaken() {
  { git ls-files -z --others --exclude-standard; git ls-files -z --modified; } 2>/dev/null |
    xargs -0 sh -c "$untaken_paths" sh
}
lines_of() { tr '\1-\37\177' '?' | tr '\0' '\n' | head -n 20; }
closed_folders() {
  sed -nE "/^warning: could not open directory '/{
    s///
    /': (Permission denied|Operation not permitted)$/{ s///; p; d; }
    /': [A-Z][a-z ]*$/d
    p
  }" "$words" | sort -u | tr '\n' '\0'
}
stage() {
  rm -rf "$left" "$words" "$kept"
  settled >"$kept"
  embedded | git update-index -z --force-remove --stdin
  git add -A --ignore-errors $sparse 2>"$words"
  added=$?
  : >"$left"
  if [ $added -ne 0 ] || grep -q 'Permission denied' "$words"; then untaken | head -z -n 2000 >"$left"; fi
  if [ $added -ne 0 ]; then
    { printf '.\0'; sed -z 's/^[a-z_]* /:(exclude,literal)/' "$left"; } |
      git add -A $sparse --pathspec-from-file=- --pathspec-file-nul 2>>"$words"
    added=$?
  fi
  tail -c 4000 "$words"
  [ $added -le 128 ] || return $added
  [ $added -eq 0 ] || return 23
  git update-index -z --index-info <"$kept" || return 23
  closed_folders | sed -z 's/^/unreadable_path /' >>"$left"
  embedded >"$words"
  if [ -s "$words" ]; then
    sed -z 's/^/embedded_repository /' "$words" >>"$left"
    git update-index -z --force-remove --stdin <"$words" || return 23
  fi
  submodule_changes >>"$left"
}
report_left() {
  lines_of <"$left" | findings
  rm -rf "$left" "$words" "$kept"
}
