#!/bin/sh
# The remote side of `file://`, in an environment as its owner has it: neither git's variables nor
# ours, the configuration of the user and of the repository, and so the owner's hooks. What only
# reads runs no hook of the repository, and packs within the memory that git is given here.
service=$1 folder=$SWITCHYARD_SERVED_FOLDER foreign=$SWITCHYARD_SERVED_FOREIGN
home=$SWITCHYARD_OWNER_HOME settings=$SWITCHYARD_OWNER_SETTINGS protocol=$GIT_PROTOCOL
for name in $(env | sed -n -e 's/^\(GIT_[A-Za-z0-9_]*\)=.*/\1/p' -e 's/^\(SWITCHYARD_[A-Z_]*\)=.*/\1/p'); do
  unset "$name"
done
unset LC_ALL SSH_ASKPASS XDG_CONFIG_HOME
export HOME="$home"
[ -z "$settings" ] || export XDG_CONFIG_HOME="$settings"
[ -z "$protocol" ] || export GIT_PROTOCOL="$protocol"
cd -P "$folder" || exit 128
# The open folder, of which git's own processes need no descriptor.
exec 4<&-
set --
[ -z "$foreign" ] || set -- -c 'safe.directory=*'
case $service in
  upload-pack)
    exec git "$@" -c pack.threads=1 -c pack.windowMemory=256m -c pack.deltaCacheSize=64m \
      -c core.bigFileThreshold=64m -c core.deltaBaseCacheLimit=96m upload-pack --strict . ;;
  receive-pack) exec git "$@" receive-pack . ;;
  trusted)
    for scope in system global; do git config "--$scope" --type=path --get-all safe.directory; done
    exit 0 ;;
  hooks) exec env GIT_DIR=. git "$@" rev-parse --git-path hooks ;;
  settings) exec env GIT_DIR=. git config --list --show-origin --name-only -z ;;
  unwritable)
    for part in objects refs; do
      at=$(env GIT_DIR=. git "$@" rev-parse --git-path "$part") || exit 128
      [ -w "$at" ] || { printf '%s' "$part"; exit 0; }
    done
    exit 0 ;;
  deny) env GIT_DIR=. git "$@" config --get receive.denyCurrentBranch; exit 0 ;;
  checkouts) exec env GIT_DIR=. git "$@" worktree list --porcelain ;;
esac
exit 128
