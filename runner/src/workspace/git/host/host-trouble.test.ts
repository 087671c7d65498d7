import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hostTrouble } from './host-trouble.ts';
import { updateMirror } from '../../mirror/mirror.ts';
import { openWorkspaces } from '../../open-workspaces.ts';

const HTTPS = 'https://code.example/team/app.git';

describe('trouble with a code host', () => {
  it.each([
    "fatal: unable to access 'https://code.example/': Could not resolve host: code.example",
    "fatal: unable to access 'https://code.example/': Failed to connect to code.example port 443 after 2 ms: Couldn't connect to server",
    "fatal: unable to access 'https://code.example/': Received HTTP code 407 from proxy after CONNECT",
    "fatal: unable to access 'https://code.example/': CONNECT tunnel failed, response 403",
    'ssh: connect to host code.example port 22: Connection timed out',
    'ssh: Could not resolve hostname code.example: Name or service not known',
    'kex_exchange_identification: Connection closed by remote host',
    "fatal: unable to access 'https://code.example/': The requested URL returned error: 503",
    'error: RPC failed; HTTP 502 curl 22 The requested URL returned error: 502',
    'error: RPC failed; curl 56 GnuTLS recv error (-54): Error in the pull function.',
    "fatal: unable to access 'https://code.example/': SSL certificate problem: certificate has expired",
    "fatal: unable to access 'https://code.example/': gnutls_handshake() failed: Error in the pull function.",
    "fatal: unable to access 'https://code.example/': server certificate verification failed. CAfile: none CRLfile: none",
  ])('is seen in %s', (words) => {
    expect(hostTrouble(HTTPS, words)).toBe('host_unreachable');
  });

  it.each([
    "remote: Invalid username or token.\nfatal: Authentication failed for 'https://code.example/'",
    "fatal: could not read Username for 'https://code.example': terminal prompts disabled",
    'git@code.example: Permission denied (publickey,password).\nfatal: Could not read from remote repository.',
    'Host key verification failed.',
    "fatal: unable to access 'https://code.example/': The requested URL returned error: 403",
    "remote: Could not resolve host: x\nfatal: unable to access 'https://code.example/': The requested URL returned error: 403",
    'ERROR: Permission to a/b.git denied to c.\nfatal: Could not read from remote repository.',
    "ERROR: The 'acme' organization has enabled or enforced SAML SSO.\nfatal: Could not read from remote repository.",
  ])('is its refusal of this runner in %s', (words) => {
    expect(hostTrouble(HTTPS, words)).toBe('host_auth_failed');
  });

  it.each([
    "remote: Repository not found.\nfatal: repository 'https://code.example/x.git/' not found",
    'remote: Permission to a/b.git denied to c.\nfatal: the remote end hung up unexpectedly',
    'remote: Connection refused by policy\n ! [remote rejected] main -> main (pre-receive hook declined)',
    "fatal: couldn't find remote ref refs/heads/nowhere",
    'error: RPC failed; HTTP 413 curl 22 The requested URL returned error: 413',
  ])('is not seen in %s', (words) => {
    expect(hostTrouble(HTTPS, words)).toBeNull();
  });

  it('does not exist for a repository on this host', () => {
    expect(hostTrouble('file:///srv/app', 'Could not resolve host: x')).toBeNull();
  });

  it.each([
    'https://127.0.0.1:1/app.git',
    'https://no-such-host.invalid/app.git',
    'ssh://git@127.0.0.1:1/app.git',
  ])(
    'is what git really says of %s',
    async (url) => {
      const folder = await mkdtemp(join(tmpdir(), 'swy-host-'));
      try {
        const workspaces = await openWorkspaces({ rootPath: folder, workIdentity: null });
        const failure = updateMirror(workspaces, { url });
        await expect(failure).rejects.toMatchObject({ code: 'host_unreachable' });
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
    30_000,
  );
});
