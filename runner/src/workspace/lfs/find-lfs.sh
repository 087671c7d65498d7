#!/bin/sh
# Runs inside the workspace's isolation: whether there is git-lfs. What an image with git-lfs set up here
# before would make every `git add` fail.
git lfs version && exit 0
git config --local --remove-section filter.lfs
exit 1
