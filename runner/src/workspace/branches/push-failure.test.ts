import { describe, expect, it } from 'vitest';
import { pushFailure } from './push-failure.ts';

const HTTPS = 'https://code.example/a/b.git';
const SSH = 'ssh://git@code.example/a/b.git';
const BRANCH = 'switchyard/sy-1-fix';
const NO_READ = `fatal: Could not read from remote repository.

Please make sure you have the correct access rights
and the repository exists.`;

/** What git printed when the remote refused the branch, with the remote's own lines above. */
const rejected = (why: string, said = '', kind = 'remote rejected') => ({
  url: HTTPS,
  stderr: `${said}\nerror: failed to push some refs to '${HTTPS}'`,
  stdout: `To ${HTTPS}\n!\t0123:refs/heads/${BRANCH}\t[${kind}] (${why})\nDone`,
});
/** What git printed when the host answered with a status instead of git's protocol. */
const answered = (status: number, said = '') => ({
  url: HTTPS,
  stderr: `${said}\nfatal: unable to access '${HTTPS}/': The requested URL returned error: ${status}`,
  stdout: '',
});
const overSsh = (said: string) => ({ url: SSH, stderr: `${said}\n${NO_READ}`, stdout: '' });
const rpcFailed = (what: string, said = '') => ({
  url: HTTPS,
  stderr: `${said}\nerror: RPC failed; ${what}\nsend-pack: unexpected disconnect while reading sideband packet\nfatal: the remote end hung up unexpectedly`,
  stdout: 'Everything up-to-date',
});
const codeOf = (words: { url: string; stderr: string; stdout: string }) =>
  pushFailure({ branch: BRANCH, ...words }).code;

const DECLINED = 'pre-receive hook declined';

describe('a push that failed', () => {
  it.each([
    ['a name that the remote has taken, loose or packed', rejected('failed to update ref', `remote: error: cannot lock ref 'refs/heads/${BRANCH}': 'refs/heads/switchyard' exists; cannot create 'refs/heads/${BRANCH}'`)],
    ['the same, in the words of a table of references', rejected('failed to update ref', `remote: error: 'refs/heads/switchyard' exists; cannot create 'refs/heads/${BRANCH}'`)],
    ['the same, in those of a newer git', rejected('refname conflict')],
    ['the same, in those of a host', rejected('directory file conflict')],
    ['the same, in those of an older git', rejected('failed to write', `remote: error: there are still refs under 'refs/heads/${BRANCH}'`)],
    ['a name that git does not take', rejected('funny refname', `remote: error: refusing to create funny ref 'refs/heads/${BRANCH}' remotely`)],
    ['a hidden name', rejected('deny updating a hidden ref')],
    ['a pack over the limit', rejected('unpacker error', 'remote: fatal: pack exceeds maximum allowed size (2.00 GiB)\nerror: remote unpack failed: index-pack abnormal exit')],
    ['a pack over the limit, cut off', rpcFailed('curl 55 Send failure: Broken pipe', 'remote: fatal: pack exceeds maximum allowed size')],
    ['a body over the limit', rpcFailed('HTTP 413 curl 22 The requested URL returned error: 413')],
    ['a file over the limit', rejected(DECLINED, "remote: error: File big.bin is 120.00 MB; this exceeds GitHub's file size limit of 100.00 MB\nremote: error: GH001: Large files detected. You may want to try Git Large File Storage")],
    ['files over the limit', rejected(DECLINED, 'remote: You are attempting to check in one or more blobs which exceed the 50MiB limit:')],
    ['a repository over its limit', rejected(DECLINED, 'remote: GitLab: Your push has been rejected, because this repository has exceeded its size limit of 10 GB by 1 MB.')],
    ['storage over its limit', rejected(DECLINED, 'remote: Your push to this repository would cause it to exceed the allocated storage of 10 GiB.')],
    ['a quota', answered(403, 'remote: Storage quota exceeded for this account.')],
    ['a quota, in the words of a file system', rejected('unpacker error', 'remote: fatal: write error: Disk quota exceeded')],
    ['an archived repository', answered(403, 'remote: This repository was archived so it is read-only.')],
    ['an archived repository, over ssh', overSsh('ERROR: This repository was archived so it is read-only.')],
    ['an archived project', overSsh("remote: You can't push code to an archived project.")],
    ['a hook', rejected(DECLINED, 'remote: no')],
    ['a hook for one reference', rejected('hook declined', `remote: error: hook declined to update refs/heads/${BRANCH}`)],
    ['a hook with the words of a host in trouble', rejected(DECLINED, 'remote: Connection refused by policy')],
    ['a ruleset', rejected('push declined due to repository rule violations', 'remote: error: GH013: Repository rule violations found for refs/heads/a.')],
    ['a ruleset that names files', rejected(DECLINED, 'remote: error: GH013: Repository rule violations found\nremote:     path: docs/rate limit.md:3')],
    ['a protected branch', rejected('protected branch hook declined', 'remote: error: GH006: Protected branch update failed for refs/heads/a.')],
    ['protected branches', rejected(DECLINED, 'remote: GitLab: You are not allowed to push code to protected branches on this project.')],
    ['a scope', rejected('refusing to allow a Personal Access Token to create or update workflow `ci.yml` without `workflow` scope')],
    ['a rewritten branch', rejected('non-fast-forward', `remote: error: denying non-fast-forward refs/heads/${BRANCH} (you should pull first)`)],
    ['a broken object', rejected('unpacker error', "remote: error: object 0b73: hasDotgit: contains '.git'\nremote: fatal: fsck error in packed object\nerror: remote unpack failed: unpack-objects abnormal exit")],
    ['a branch that is checked out', rejected('branch is currently checked out')],
    ['files of the remote that belong to another user', rejected('unpacker error', 'remote: error: insufficient permission for adding an object to repository database ./objects\nerror: remote unpack failed: unpack-objects abnormal exit')],
  ])('is refused for good: %s', (_what, words) => {
    expect(codeOf(words)).toBe('push_refused');
  }); // prettier-ignore

  it.each([
    ['401', { ...answered(401), stderr: `remote: Invalid username or token.\nfatal: Authentication failed for '${HTTPS}/'` }],
    ['403', answered(403)],
    ['403 in the middle', rpcFailed('HTTP 403 curl 22 The requested URL returned error: 403')],
    ['somebody else', answered(403, 'remote: Permission to a/b.git denied to c.')],
    ['a token that reads', answered(403, 'remote: Write access to repository not granted.')],
    ['a project of others', answered(403, 'remote: You are not allowed to push code to this project.')],
    ['a project of others, over ssh', overSsh('remote: \nremote: ========\nremote: \nremote: You are not allowed to push code to this project.\nremote: ')],
    ['somebody else, over ssh', overSsh('ERROR: Permission to a/b.git denied to c.')],
    ['a key that reads', overSsh('ERROR: The key you are authenticating with has been marked as read only.')],
    ['a deploy key that reads', overSsh('remote: This deploy key does not have write access to this project.')],
    ['a deployment key that reads', overSsh('repository access denied. access via a deployment key is read-only.')],
    ['single sign-on', answered(403, "remote: The 'acme' organization has enabled or enforced SAML SSO.\nremote: To access this repository, visit …")],
    ['single sign-on, over ssh', overSsh("ERROR: The 'acme' organization has enabled or enforced SAML SSO.")],
    ['a missing permission', rejected("TF401027: You need the Git 'GenericContribute' permission to perform this action.")],
    ['no key', overSsh('git@code.example: Permission denied (publickey).')],
  ])('lacks access: %s', (_what, words) => {
    expect(codeOf(words)).toBe('host_auth_failed');
  }); // prettier-ignore

  it.each([
    ['500', answered(500)],
    ['502 in the middle', rpcFailed('HTTP 502 curl 22 The requested URL returned error: 502')],
    ['503 with words', answered(503, 'remote: This repository was busy')],
    ['429', answered(429)],
    ['403 for too many requests', answered(403, 'remote: You have exceeded a secondary rate limit. Please try again later.')],
    ['a quota of requests', answered(403, "remote: Quota exceeded for quota metric 'Git operations' and limit 'Git operations per minute'")],
    ['a cut connection', rpcFailed('curl 56 GnuTLS recv error (-54): Error in the pull function.')],
    ['silence', overSsh('ssh: connect to host code.example port 22: Connection timed out')],
    ['a reset', overSsh('kex_exchange_identification: read: Connection reset by peer')],
    ['a full disk that was warned of', rpcFailed('curl 56 Recv failure: Connection reset by peer', 'remote: warning: GH001: Large files detected.')],
  ])('found the host in trouble: %s', (_what, words) => {
    expect(codeOf(words)).toBe('host_unreachable');
  }); // prettier-ignore

  it.each([
    ['the host itself', rejected('Internal Server Error', 'remote: Internal Server Error')],
    ['the host behind its hook', rejected(DECLINED, 'remote: GitLab: Internal API error (502)')],
    ['a host out of reach of its hook', rejected(DECLINED, 'remote: GitLab: Internal API unreachable')],
    ['a hook asked too often', rejected(DECLINED, 'remote: GitLab: This endpoint has been requested too many times. Try again later.')],
    ['a repository that is moved', rejected(DECLINED, 'remote: The repository is temporarily read-only. Please try again later.')],
    ['no reason', rejected('failure', 'remote: fatal error in commit_refs')],
    ['a lost race', rejected('failed to update ref')],
    ['no answer', rejected('remote failed to report status', '', 'remote failure')],
    ['a held lock', rejected('failed to update ref', `remote: error: cannot lock ref 'refs/heads/${BRANCH}': Unable to create '/srv/b.git/refs/heads/${BRANCH}.lock': File exists.`)],
    ['a branch that moved', rejected('failed to update ref', `remote: error: cannot lock ref 'refs/heads/${BRANCH}': is at 01 but expected 02`)],
    ['an old lease', rejected('stale info', '', 'rejected')],
    ['an unknown commit', rejected('fetch first', '', 'rejected')],
    ['an unpacker that ended', rejected('unpacker error', 'error: remote unpack failed: unpack-objects abnormal exit')],
    ['a warning beside it', rejected('failed to update ref', "remote: warning: File big.bin is 60.00 MB; this is larger than GitHub's recommended maximum file size of 50.00 MB\nremote: warning: GH001: Large files detected.")],
  ])('was rejected and may pass: %s', (_what, words) => {
    expect(codeOf(words)).toBe('push_rejected');
  }); // prettier-ignore

  it.each([
    ['not found', { ...answered(404), stderr: `fatal: repository '${HTTPS}/' not found` }],
    ['hung up', { url: SSH, stderr: 'fatal: the remote end hung up unexpectedly', stdout: '' }],
    ['nothing', { url: HTTPS, stderr: '', stdout: '' }],
  ])('failed for reasons that are not known: %s', (_what, words) => {
    expect(codeOf(words)).toBe('git_failed');
  }); // prettier-ignore

  it('is not judged by words in the name of its branch', () => {
    const branch = 'switchyard/GH013-protected-branch-quota-exceeded';
    const said = `remote: error: cannot lock ref 'refs/heads/${branch}': Unable to create '/srv/refs/heads/${branch}.lock': File exists.`;
    const failure = pushFailure({ ...rejected('failed to update ref', said), branch });
    expect(failure.code).toBe('push_rejected');
  });

  it('says in plain words which branch stands in the way, and what to do', () => {
    const said = `remote: error: cannot lock ref 'refs/heads/${BRANCH}': 'refs/heads/switchyard' exists; cannot create 'refs/heads/${BRANCH}'`;
    const { message } = pushFailure({ branch: BRANCH, ...rejected('failed to update ref', said) });
    expect(message).toMatch(/has a branch switchyard, .*switchyard\/sy-1-fix.*[Rr]ename or delete/);
    const unnamed = pushFailure({ branch: BRANCH, ...rejected('directory file conflict') });
    expect(unnamed.message).toMatch(/switchyard or one below switchyard\/sy-1-fix.*[Rr]ename or/);
  });

  it('repeats what the remote said, without the frame of git', () => {
    const { message } = pushFailure({ branch: BRANCH, ...rejected(DECLINED, 'remote: no\n') });
    expect(message).toBe(`the remote refused ${BRANCH}: no (${DECLINED})`);
    const access = pushFailure({ branch: BRANCH, ...answered(403, 'remote: Permission denied.') });
    expect(access.message).toMatch(
      /write access.*: remote: Permission denied\.\nfatal: unable to/s,
    );
  });
});
