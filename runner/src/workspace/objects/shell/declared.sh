#!/bin/sh
# For programs that look at lists of folders: `declared FOLDER` is whether .gitmodules declares it.
declared() {
  case $1 in *"
"*) return 1 ;; esac
  git config -z -f .gitmodules --get-regexp "^submodule[.].*[.]path$" |
    sed -z "s/^[^\n]*\n//" | grep -zFxq -- "$1"
}
