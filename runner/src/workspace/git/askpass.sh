#!/bin/sh
# What git runs when a remote wants a user or a password. The password comes from file descriptor 3,
# which only this one git and its children have; a prompt of another host gets nothing.
case "$1" in
  "Username for '$SWITCHYARD_REMOTE_ORIGIN"[/\']*) printf '%s\n' "$SWITCHYARD_REMOTE_USER" ;;
  "Password for '$SWITCHYARD_REMOTE_LOGIN"[/\']*) IFS= read -r line <&3 && printf '%s\n' "$line" ;;
  *) exit 1 ;;
esac
