#!/bin/sh
# Runs inside the workspace's isolation as `sh -c PROGRAM markers PATH BASE TIP MARK MARKER_LIKE`, and says
# as findings, each a line behind MARK, `marker LINE PATH` for files of TIP that have conflict markers which
# BASE has not. `git diff --check` knows how long an attribute makes the markers, and prints names bare, with
# whatever is in them: it is asked for one file at a time, and only where a line is added or gone that looks
# like one (MARKER_LIKE), of the first 2,000 such files. A renamed file goes with the name it had: `OLD//NEW`,
# which no path of git is. Exit code 0 only when each of these was read.
marker_lines=$(cat ./marker-lines.sh)
cd "$1" || exit 21
base=$2 tip=$3 mark=$4 marker_like=$5 names=.git/switchyard-names found=.git/switchyard-markers
rm -rf "$names" "$found"
git diff --name-status -z -G "$marker_like" --diff-filter=d --find-renames --no-ext-diff --no-textconv \
  "$base" "$tip" -- >"$names" || exit 1
sed -zn '/^R/{n; N; s,\x00,//,; p; b}; n; p' <"$names" | head -z -n 2000 |
  xargs -0 sh -c "$marker_lines" sh "$base" "$tip" >"$found"
result=$?
tr '\1-\37\177' '?' <"$found" | tr '\0' '\n' | head -n 20 | sed "s/^/$mark/" >&2
rm -rf "$names" "$found"
exit $result
