#!/bin/sh
# Run with folders: names those that .gitmodules still declares.
. ./declared.sh
for folder do ! declared "$folder" || printf "submodule_removed %s\0" "$folder"; done
