import { REPORT_PREFIX } from './snapshot-script.ts';

/** For git's `-G`: a line that may be a conflict marker. */
export const MARKER_LIKE = '^(<<<<<<<|=======|>>>>>>>|[|]{7})';

/**
 * Runs inside the workspace's isolation as `sh -c SCRIPT markers PATH BASE TIP`, and says as findings
 * `marker LINE PATH` for files of TIP that have conflict markers which BASE has not. `git diff
 * --check` knows how long an attribute makes the markers, and prints names bare, with whatever is in
 * them: it is asked for one file at a time, and only where a line is added or gone that looks like
 * one, of the first 2,000 such files. A renamed file goes with the name it had: `OLD//NEW`, which no path
 * of git is. Exit code 0 only when each of these was read.
 */
export const findMarkersScript = `
cd "$1" || exit 21
base=$2 tip=$3 names=.git/switchyard-names found=.git/switchyard-markers
rm -rf "$names" "$found"
git diff --name-status -z -G '${MARKER_LIKE}' --diff-filter=d --find-renames --no-ext-diff --no-textconv \\
  "$base" "$tip" -- >"$names" || exit 1
sed -zn '/^R/{n; N; s,\\x00,//,; p; b}; n; p' <"$names" | head -z -n 2000 | xargs -0 sh -c '
  base=$1 tip=$2
  shift 2
  has() {
    git --literal-pathspecs grep -aq "$1" "$tip" -- "$path"
    case $? in 0) return 0 ;; 1) return 1 ;; *) exit 255 ;; esac
  }
  for names do
    path=\${names##*//} old=\${names%%//*}
    has "^<<<<<<<[[:space:]]" && has "^>>>>>>>[[:space:]]" || continue
    lines=$({
      git --literal-pathspecs -c core.whitespace=-trailing-space,-space-before-tab \\
        diff --check --find-renames --no-ext-diff --no-textconv "$base" "$tip" -- "$path" "$old"
      printf "\\nended %s\\n" "$?"
    } | sed -n -e "s/.*:\\([0-9]*\\): leftover conflict marker\\$/\\1/p" -e "\\$s/^ended //p")
    case $(printf "%s\\n" "$lines" | tail -n 1) in 0 | 2) ;; *) exit 255 ;; esac
    line=$(printf "%s\\n" "$lines" | sed "\\$d" | sort -n | head -n 1)
    [ -z "$line" ] || printf "marker %s %s\\0" "$line" "$path"
  done' sh "$base" "$tip" >"$found"
result=$?
tr '\\1-\\37\\177' '?' <"$found" | tr '\\0' '\\n' | head -n 20 | sed 's/^/${REPORT_PREFIX}/' >&2
rm -rf "$names" "$found"
exit $result
`;
