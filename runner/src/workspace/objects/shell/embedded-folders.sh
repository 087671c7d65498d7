#!/bin/sh
# Run with folders of which the index has a pointer: prints those that .gitmodules does not declare.
. ./declared.sh
for folder do declared "$folder" || printf "%s\0" "$folder"; done
