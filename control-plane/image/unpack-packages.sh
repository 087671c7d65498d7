#!/bin/sh
# unpack-packages.sh PACKAGE... puts Debian packages and all they depend on, for the architecture
# TARGETARCH, below /root-of-image. Archives are only unpacked: none of their programs or scripts is
# run, so that any architecture can be assembled. Left out is what only installing needs, and perl,
# which git needs for nothing that is used here. Scanners find the packages in status.d.
set -eu
: "${TARGETARCH:?}"
root=/root-of-image

apt() {
  apt-get -q -o APT::Architecture="$TARGETARCH" -o APT::Architectures="$TARGETARCH" \
    -o APT::Install-Recommends=0 -o pkgCacheGen::Essential=none -o pkgCacheGen::ForceEssential=none \
    -o Dir::State=/apt/state -o Dir::State::status=/apt/status -o Dir::Cache=/apt/cache \
    -o APT::Sandbox::User=root -o Acquire::Retries=3 "$@"
}

mkdir -p /apt/state/lists/partial /apt/cache/archives/partial "$root/var/lib/dpkg/status.d"
: >/apt/status
apt update
apt install -y --download-only "$@"

for name in bin lib lib64 sbin; do
  mkdir -p "$root/usr/$name"
  ln -sfn "usr/$name" "$root/$name"
done
for archive in /apt/cache/archives/*.deb; do
  name=$(dpkg-deb -f "$archive" Package)
  case $name in
    perl* | libperl* | liberror-perl | git-man | adduser | passwd | login | debconf | dpkg | libpam* | mawk | libdb5*)
      continue
      ;;
  esac
  dpkg-deb --fsys-tarfile "$archive" | tar -x --keep-directory-symlink -C "$root" \
    --exclude './usr/share/man/*' --exclude './usr/share/locale/*' --exclude './usr/share/info/*' \
    --exclude './usr/share/doc/*/[!c]*' --exclude './usr/share/lintian' \
    --exclude './usr/share/bash-completion'
  dpkg-deb -f "$archive" >"$root/var/lib/dpkg/status.d/$name"
done
rm -rf /apt

mkdir -p "$root/tmp" "$root/etc/ssl/certs"
chmod 1777 "$root/tmp"
if [ -d "$root/usr/share/ca-certificates" ]; then
  find "$root/usr/share/ca-certificates" -name '*.crt' | LC_ALL=C sort | xargs cat \
    >"$root/etc/ssl/certs/ca-certificates.crt"
fi
cat >"$root/etc/passwd" <<'USERS'
root:x:0:0:root:/root:/sbin/nologin
switchyard:x:10001:10001:switchyard:/var/lib/switchyard:/sbin/nologin
USERS
printf 'root:x:0:\nswitchyard:x:10001:\n' >"$root/etc/group"
echo 'hosts: files dns' >"$root/etc/nsswitch.conf"
