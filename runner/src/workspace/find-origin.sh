#!/bin/sh
# Runs in the workspace's isolation as `sh -c PROGRAM adopt-clone PATH`: prints from where a hook cloned.
[ -d "$1/.git" ] && [ ! -L "$1/.git" ] || exit 3
git config --local --get remote.origin.url || exit 3
