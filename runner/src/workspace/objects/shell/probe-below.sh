#!/bin/sh
# Run by submodule-changes.sh as `sh -c PROGRAM probe TOP PREFIX DEPTH NAME...` for folders of submodules:
# each TOP/PREFIX NAME, and those below it. See there for what is named.
# shellcheck disable=SC2154 # what it does not set its caller exports
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
    printf "unreadable_path %s\0" "$folder"
    continue
  fi
  if ! [ -e .git ] || ! here rev-parse -q --verify "HEAD^{commit}" >/dev/null; then
    find . -mindepth 1 -path ./.git -prune -o \
      "(" ! -type d -o ! -readable -o ! -executable ")" -printf "%P\0" 2>/dev/null | changes
    continue
  fi
  whose=dirty
  [ "$depth" -lt 8 ] || whose=none
  here status --porcelain -z --no-renames --untracked-files=all --ignore-submodules=$whose |
    sed -z "s/^...//" | changes
  [ -z "$(here rev-list -n 1 --exclude="refs/notes/*" --all --not HEAD --remotes --tags --)" ] ||
    printf "submodule_commits %s\0" "$folder"
  [ "$depth" -ge 8 ] || here ls-files -s -z | sed -zn "s/^160000 [0-9a-f]* 0\t//p" | head -z -n 2000 |
    xargs -0 -r sh -c "$probe_below" probe "$top" "$folder/" "$((depth + 1))"
done
