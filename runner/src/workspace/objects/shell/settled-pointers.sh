#!/bin/sh
# Run by `settled` of submodule-changes.sh as `sh -c PROGRAM BASE ENTRY...`, each `POINTER FOLDER` of the
# index: prints those of folders where a commit is checked out that the branch had before.
for entry do
  pointer=${entry%% *} folder=${entry#* }
  [ -e "./$folder/.git" ] && [ ! -L "./$folder" ] || continue
  head=$(git --git-dir="./$folder/.git" rev-parse -q --verify "HEAD^{commit}" 2>/dev/null) || continue
  [ "$head" != "$pointer" ] || continue
  {
    git rev-parse -q --verify "HEAD:$folder" 2>/dev/null
    git --literal-pathspecs log -z --format= --raw -m --full-history --ignore-submodules=none --no-abbrev \
      --no-renames --no-ext-diff "$0..HEAD" -- "$folder"
  } | tr "\0" "\n" | grep -Fq "$head" && printf "160000 %s\t%s\0" "$pointer" "$folder"
done
true
