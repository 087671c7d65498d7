#!/bin/sh
# Makes a Debian base image without any image registry, for machines that only reach a Debian
# mirror: debootstrap-base.sh [IMAGE] [CACHE_TAR]
# Safe to repeat: an image that is there is left alone, a cached tar is imported again. Either is made
# anew when it was made of other packages.
# Needs root, debootstrap and docker (DOCKER_HOST is honoured). The mirror is the one that this
# machine's own apt uses, or SWITCHYARD_DEBIAN_MIRROR.
set -eu
image=${1:-switchyard-debian:bookworm}
cache=${2:-${TMPDIR:-/tmp}/switchyard-debian-bookworm.tar}
packages=ca-certificates,git,git-lfs
label=switchyard.base-packages

present=$(docker image inspect --format "{{index .Config.Labels \"$label\"}}" "$image" 2>/dev/null) || present=
if [ "$present" = "$packages" ]; then
  echo "base image $image is present"
  exit 0
fi
if [ ! -s "$cache" ] || [ "$(cat "$cache.packages" 2>/dev/null)" != "$packages" ]; then
  command -v debootstrap >/dev/null || { echo 'debootstrap is missing: apt-get install debootstrap' >&2; exit 3; }
  # shellcheck disable=SC2016 # apt-get reads it
  mirror=${SWITCHYARD_DEBIAN_MIRROR:-$(apt-get indextargets --format '$(SITE)' 'Codename: bookworm' 'Created-By: Packages' | head -n 1)}
  [ -n "$mirror" ] || { echo 'no Debian mirror found: set SWITCHYARD_DEBIAN_MIRROR' >&2; exit 3; }
  root=$(mktemp -d)
  trap 'rm -rf "$root" "$cache.$$"' EXIT
  trap 'exit 130' INT TERM
  echo "debootstrap bookworm (about half a minute)"
  debootstrap --variant=minbase --include="$packages" bookworm "$root" "$mirror" >"$cache.log" 2>&1 ||
    { tail -n 20 "$cache.log" >&2; exit 1; }
  rm -rf "$root"/var/cache/apt/*.bin "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/* \
    "$root"/usr/share/doc/* "$root"/usr/share/man/* "$root"/usr/share/locale/*
  tar -C "$root" --numeric-owner -cf "$cache.$$" .
  rm -f "$cache.packages"
  mv "$cache.$$" "$cache"
  echo "$packages" >"$cache.packages"
fi
echo "import $cache as $image"
docker import --change "LABEL $label=$packages" "$cache" "$image" >/dev/null
