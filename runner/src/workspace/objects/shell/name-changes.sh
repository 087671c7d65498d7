#!/bin/sh
# Run by probe-below.sh for paths below the submodule $folder: names each, and once more when its file
# is newer than the list $known.
# shellcheck disable=SC2154,SC3013 # what it does not set its caller exports; dash, bash and busybox have -nt
for name do
  printf "submodule_change %s//%s\0" "$folder" "$name"
  [ ! "./$name" -nt "$known" ] || printf "submodule_change %s//%s\0" "$folder" "$name"
done
