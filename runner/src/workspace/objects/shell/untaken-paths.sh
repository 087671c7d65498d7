#!/bin/sh
# Run with paths that git would add: names those that it cannot take, each behind its rule.
for path do
  path=${path%/}
  case $path in */*) parent=${path%/*} ;; *) parent=. ;; esac
  [ ! -L "$path" ] || continue
  if [ -e "$path/.git" ]; then
    git --git-dir="$path/.git" rev-parse -q --verify HEAD >/dev/null 2>&1 ||
      printf "embedded_repository %s\0" "$path"
  elif [ -e "$path" ]; then [ -r "$path" ] || printf "unreadable_path %s\0" "$path"
  elif [ -r "$parent" ] && [ ! -x "$parent" ]; then printf "unreadable_path %s\0" "$path"
  fi
done
