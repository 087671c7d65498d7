/** For scripts that look at lists of folders: whether .gitmodules declares one. */
export const declaredScript = `
declared() {
  case $1 in *"
"*) return 1 ;; esac
  git config -z -f .gitmodules --get-regexp "^submodule[.].*[.]path$" |
    sed -z "s/^[^\\n]*\\n//" | grep -zFxq -- "$1"
}
`;

/**
 * Part of the snapshot script: when everything dirty is in the index, `submodule_changes` names what
 * no commit of this repository can hold, because it lies below the folder of a submodule. Where no
 * repository is checked out that is every file, and git itself looks at none. Where one is, it is
 * what differs from its HEAD, and the commits that its HEAD does not have; where HEAD stands is in
 * the index, as the submodule's pointer. At most five paths of each submodule, and submodules of
 * submodules eight deep. A path is written as `FOLDER//NAME`, which no path of git is.
 *
 * `settled` prints, as lines for `update-index --index-info`, the pointers that stand in the index while
 * the submodule is checked out at a commit of before: git moves no checkout with a merge, and adding
 * everything would take the pointer back. A HEAD that the branch has not had yet is a move.
 *
 * Settings of git that hide changes of submodules count nowhere.
 *
 * `hooks_left` writes down what there is before the agent begins. Such a path is named only when its file is
 * newer than that list: its line then stands twice, of which the list takes one away.
 *
 * A folder that is gone takes the pointer out of the index: unless .gitmodules forgets it as well,
 * that is named too.
 */
export const submoduleChangesScript = `
name_changes='
for name do
  printf "submodule_change %s//%s\\0" "$folder" "$name"
  [ ! "./$name" -nt "$known" ] || printf "submodule_change %s//%s\\0" "$folder" "$name"
done'
look_below='
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
top=$1 prefix=$2 depth=$3
shift 3
here() { git --git-dir=.git --work-tree=. "$@" 2>/dev/null; }
changes() {
  folder=$folder xargs -0 -r sh -c "$name_changes" sh |
    sort -z | comm -z -23 - "$known" | uniq -z | head -z -n "$most"
}
for name do
  folder=$prefix$name
  [ -d "$top/$folder" ] && [ ! -L "$top/$folder" ] || continue
  if ! cd "$top/$folder" 2>/dev/null || [ ! -r . ]; then
    printf "unreadable_path %s\\0" "$folder"
    continue
  fi
  if ! [ -e .git ] || ! here rev-parse -q --verify "HEAD^{commit}" >/dev/null; then
    find . -mindepth 1 -path ./.git -prune -o \\
      "(" ! -type d -o ! -readable -o ! -executable ")" -printf "%P\\0" 2>/dev/null | changes
    continue
  fi
  whose=dirty
  [ "$depth" -lt 8 ] || whose=none
  here status --porcelain -z --no-renames --untracked-files=all --ignore-submodules=$whose |
    sed -z "s/^...//" | changes
  [ -z "$(here rev-list -n 1 --exclude="refs/notes/*" --all --not HEAD --remotes --tags --)" ] ||
    printf "submodule_commits %s\\0" "$folder"
  [ "$depth" -ge 8 ] || here ls-files -s -z | sed -zn "s/^160000 [0-9a-f]* 0\\t//p" | head -z -n 2000 |
    xargs -0 -r sh -c "$look_below" look "$top" "$folder/" "$((depth + 1))"
done'
settled() {
  git ls-files -s -z | sed -zn 's/^160000 \\([0-9a-f]*\\) 0\\t/\\1 /p' | head -z -n 2000 | xargs -0 -r sh -c '
    for entry do
      pointer=\${entry%% *} folder=\${entry#* }
      [ -e "./$folder/.git" ] && [ ! -L "./$folder" ] || continue
      head=$(git --git-dir="./$folder/.git" rev-parse -q --verify "HEAD^{commit}" 2>/dev/null) || continue
      [ "$head" != "$pointer" ] || continue
      {
        git rev-parse -q --verify "HEAD:$folder" 2>/dev/null
        git --literal-pathspecs log -z --format= --raw -m --full-history --ignore-submodules=none --no-abbrev \\
          --no-renames --no-ext-diff "$0..HEAD" -- "$folder"
      } | tr "\\0" "\\n" | grep -Fq "$head" && printf "160000 %s\\t%s\\0" "$pointer" "$folder"
    done
    true' "$base"
}
below() {
  export look_below name_changes known most
  git ls-files -s -z | sed -zn 's/^160000 [0-9a-f]* [0-9]\\t//p' | uniq -z | head -z -n 2000 |
    xargs -0 -r sh -c "$look_below" look "$PWD" '' 1
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
    sed -zn 'h; n; x; /^:160000 160000 /d; /^:160000 /{x; p}' | xargs -0 -r sh -c '${declaredScript}
      for folder do ! declared "$folder" || printf "submodule_removed %s\\0" "$folder"; done' sh
}
`;
