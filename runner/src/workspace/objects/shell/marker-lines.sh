#!/bin/sh
# Run by find-markers.sh as `sh -c PROGRAM sh BASE TIP NAMES...`, each `PATH` or `OLD//NEW`. Ends with 255,
# which ends xargs as well, where git could not read a file.
base=$1 tip=$2
shift 2
has() {
  git --literal-pathspecs grep -aq "$1" "$tip" -- "$path"
  case $? in 0) return 0 ;; 1) return 1 ;; *) exit 255 ;; esac
}
for names do
  path=${names##*//} old=${names%%//*}
  has "^<<<<<<<[[:space:]]" && has "^>>>>>>>[[:space:]]" || continue
  lines=$({
    git --literal-pathspecs -c core.whitespace=-trailing-space,-space-before-tab \
      diff --check --find-renames --no-ext-diff --no-textconv "$base" "$tip" -- "$path" "$old"
    printf "\nended %s\n" "$?"
  } | sed -n -e "s/.*:\([0-9]*\): leftover conflict marker\$/\1/p" -e "\$s/^ended //p")
  case $(printf "%s\n" "$lines" | tail -n 1) in 0 | 2) ;; *) exit 255 ;; esac
  line=$(printf "%s\n" "$lines" | sed "\$d" | sort -n | head -n 1)
  [ -z "$line" ] || printf "marker %s %s\0" "$line" "$path"
done
