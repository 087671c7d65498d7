/** How the script in the workspace ended. */
export const SNAPSHOT_EXIT = {
  bundled: 0,
  noDifference: 20,
  notARepository: 21,
  baseMissing: 22,
  commitFailed: 23,
  bundleFailed: 24,
  embeddedRepository: 25,
} as const;

/**
 * Runs inside the workspace's isolation as `sh -c SCRIPT snapshot PATH BASE BRANCH REF MESSAGE
 * STOPPED`. Stages and commits what is dirty, then writes a bundle of everything beyond BASE to
 * standard output; all other words go to standard error. GIT_DIR is fixed by the caller, so that
 * a destroyed .git never makes git look for a repository further up. REF is a fresh full name:
 * a branch called HEAD makes every short name ambiguous.
 *
 * A folder with a .git of its own would be committed as a mere pointer to a commit that nobody
 * else has: unless .gitmodules declares it, that ends here. Such pointers of earlier commits are
 * forgotten first, because git keeps them even after the inner .git is gone.
 */
export const snapshotScript = `
cd "$1" || exit 21
base=$2 branch=$3 ref=$4 message=$5 stopped=$6
exec 3>&1 1>&2
[ -d .git ] && [ ! -L .git ] || { echo 'there is no .git folder'; exit 21; }
git rev-parse --git-dir >/dev/null || exit 21
[ "$stopped" = yes ] && rm -f .git/index.lock .git/HEAD.lock
git cat-file -e "$base^{commit}" || exit 22
declared() {
  git config -f .gitmodules --get-regexp '^submodule[.].*[.]path$' | cut -d ' ' -f 2- | grep -Fxq -- "$1"
}
embedded() {
  git diff --cached --raw --no-renames --no-ext-diff "$base" -- |
    sed -n '/^:160000 /d; s/^:[0-7]* 160000 [^\t]*\t//p' |
    while IFS= read -r folder; do declared "$folder" || printf '%s\n' "$folder"; done
}
forget_embedded() {
  embedded | while IFS= read -r folder; do git rm -rfq --cached -- "$folder"; done
}
forget_embedded
git add -A || exit 23
found=$(embedded)
if [ -n "$found" ]; then
  forget_embedded
  printf '%s\n' "$found"
  exit 25
fi
git diff --cached --quiet --no-ext-diff
case $? in
  0) ;;
  1) git commit -q --no-verify --no-gpg-sign -m "$message" || exit 23 ;;
  *) exit 23 ;;
esac
ahead() {
  [ -n "$1" ] && [ -n "$(git rev-list -n 1 "$1" "^$base" --)" ]
}
tip=$(git rev-parse -q --verify 'HEAD^{commit}')
if ! ahead "$tip"; then
  tip=$(git rev-parse -q --verify "refs/heads/$branch^{commit}")
  ahead "$tip" || exit 20
fi
git update-ref "$ref" "$tip" || exit 24
git bundle create -q - "^$base" "$ref" >&3
made=$?
git update-ref -d "$ref"
[ $made -eq 0 ] || exit 24
`;
