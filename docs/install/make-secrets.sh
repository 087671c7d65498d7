#!/bin/sh
# make-secrets.sh [FOLDER] writes the secrets of a new installation, one file each, and leaves those
# alone that are there. Needs openssl 3. The folder is for its owner alone; the files in it can be read
# by anybody who is given one, since the containers' user is another one.
set -eu
folder=${1:-secrets}
mkdir -p "$folder"
chmod 0700 "$folder"
cd "$folder"
umask 022

make() {
  if [ -s "$1" ]; then
    echo "$1 is there already"
    return
  fi
  # Whole or not at all: the name appears when the value is complete.
  "$2" >"$1.new"
  mv "$1.new" "$1"
  echo "made $1"
}

token() { openssl rand -hex 32; }
join_token() { echo "enr_$(openssl rand -hex 24)"; }
encoded() { openssl base64 -A | tr '+/' '-_' | tr -d '='; }

# A key pair for the libSQL server: it gets the public half, the control plane a token that the
# private half signed, and the private half is deleted. Valid for ten years.
database_token() {
  head=$(printf '{"alg":"EdDSA","typ":"JWT"}' | encoded)
  claims=$(printf '{"a":"rw","exp":%s}' "$(($(date +%s) + 315360000))" | encoded)
  printf '%s.%s' "$head" "$claims" >signed.new
  printf '%s.%s.' "$head" "$claims"
  openssl pkeyutl -sign -inkey private.new -rawin -in signed.new | encoded
  echo
}
public_key() { openssl pkey -in private.new -pubout; }

make write-token token
make read-token token
make master-key token
make join-token join_token
if [ -s database-token ] && [ -s database-key.pem ]; then
  echo 'database-token and database-key.pem are there already'
else
  trap 'rm -f private.new signed.new' EXIT
  rm -f database-token database-key.pem
  (umask 077 && openssl genpkey -algorithm ed25519 -out private.new)
  make database-key.pem public_key
  make database-token database_token
fi
