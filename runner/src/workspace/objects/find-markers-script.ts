/**
 * Part of the snapshot script: `markers` prints `marker LINE PATH`, with a NUL behind each, for files of
 * `tip` that have conflict markers which `base` has not. `git diff --check` knows how long an
 * attribute makes the markers, and prints names bare, with whatever is in them: it is asked for one
 * file at a time, and only where a line is added or gone that looks like one. A renamed file goes
 * with the name it had: `OLD//NEW`, which no path of git is.
 */
export const findMarkersScript = `
markers() {
  git diff --name-status -z -G '^(<<<<<<<|=======|>>>>>>>|[|]{7})' --diff-filter=d --find-renames --no-ext-diff --no-textconv \\
    "$base" "$tip" -- | sed -zn '/^R/{n; N; s,\\x00,//,; p; b}; n; p' | head -z -n 2000 | xargs -0 sh -c '
    base=$1 tip=$2
    shift 2
    has() { git --literal-pathspecs grep -aq "$1" "$tip" -- "$path"; }
    for names do
      path=\${names##*//} old=\${names%%//*}
      has "^<<<<<<<[[:space:]]" && has "^>>>>>>>[[:space:]]" || continue
      line=$(git --literal-pathspecs -c core.whitespace=-trailing-space,-space-before-tab \\
        diff --check --find-renames --no-ext-diff --no-textconv "$base" "$tip" -- "$path" "$old" |
        sed -n "s/.*:\\([0-9]*\\): leftover conflict marker$/\\1/p" | sort -n | head -n 1)
      [ -z "$line" ] || printf "marker %s %s\\0" "$line" "$path"
    done' sh "$base" "$tip"
}
`;
