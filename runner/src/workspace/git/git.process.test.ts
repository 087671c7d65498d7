import { processLives } from '@switchyard/shared/host/process-lives';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { latePid } from '../testing/late-pid.ts';
import type { Git } from './git.ts';
import { createGit } from './git.ts';
import { redactUrls } from './redact-urls.ts';

let folder: string;
let git: Git;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'swy-git-'));
  git = await createGit({ homePath: join(folder, 'home') });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A program in the place of git, to see what git would get. */
async function fakeGit(
  script: string,
  remoteEnv?: (url: string) => Promise<Record<string, string>>,
  remoteCredential?: (url: string) => Promise<{ username: string; password: string } | null>,
): Promise<Git> {
  const path = join(folder, 'fake-git');
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return createGit({
    homePath: join(folder, 'home'),
    gitPath: path,
    ...(remoteEnv ? { remoteEnv } : {}),
    ...(remoteCredential ? { remoteCredential } : {}),
  });
}

describe('createGit', () => {
  it('reads no configuration but its own', async () => {
    const listed = await git.run({
      purpose: 'config',
      args: ['config', '--list', '--show-origin'],
    });
    const origins = new Set(
      listed.stdout
        .trim()
        .split('\n')
        .map((line) => line.split('\t')[0]),
    );
    expect([...origins]).toEqual([`file:${join(folder, 'home', 'gitconfig')}`]);
    expect(listed.stdout).toContain('safe.directory=*');
  });

  it('gives git no secret of the runner and no prompt', async () => {
    process.env['SWY_TEST_SECRET'] = 'hush';
    try {
      const seen = await (await fakeGit('env')).run({ purpose: 'env', args: [] });
      expect(seen.stdout).not.toContain('hush');
      expect(seen.stdout).toContain('GIT_TERMINAL_PROMPT=0');
    } finally {
      delete process.env['SWY_TEST_SECRET'];
    }
  });

  it('adds credentials for a remote to the environment only', async () => {
    const fake = await fakeGit('env; echo "args $*"', () => Promise.resolve({ SWY_TOKEN: 'hush' }));
    const local = await fake.run({ purpose: 'x', args: ['x'] });
    expect(local.stdout).not.toContain('hush');
    const remote = await fake.run({
      purpose: 'x',
      args: ['x'],
      remoteUrl: 'https://example.test/a',
    });
    expect(remote.stdout).toContain('SWY_TOKEN=hush');
    expect(remote.stdout).toMatch(/args --no-pager x$/m);
  });

  it.each(['ext::sh -c id', 'git://127.0.0.1:1/a', 'http://127.0.0.1:1/a'])(
    'speaks no other protocol: %s',
    async (url) => {
      await expect(git.run({ purpose: 'ls-remote', args: ['ls-remote', url] })).rejects.toThrow(
        /not allowed/,
      );
    },
  );

  it("fails with git's own words, without credentials", async () => {
    const fake = await fakeGit('echo "fatal: no https://me:hush@example.test/a" >&2; exit 128');
    await expect(fake.run({ purpose: 'fetch', args: [] })).rejects.toMatchObject({
      code: 'git_failed',
      message: 'git fetch failed: fatal: no https://***@example.test/a',
    });
  });

  it('kills the whole process group on timeout', async () => {
    const late = join(folder, 'pid');
    const fake = await fakeGit(`sleep 300 & echo $! > ${late}; wait`);
    const pid = await latePid(late, (timeoutMs) =>
      expect(fake.run({ purpose: 'fetch', args: [], timeoutMs })).rejects.toThrow(/longer than/),
    );
    await expect.poll(() => processLives(pid)).toBe(false);
  });

  it('stops on a signal', async () => {
    const fake = await fakeGit('sleep 300');
    await expect(
      fake.run({ purpose: 'fetch', args: [], signal: AbortSignal.timeout(200) }),
    ).rejects.toThrow(/cancelled/);
  });

  it('hands a password to one git alone: not in its environment, not in its arguments', async () => {
    const fake = await fakeGit(
      `echo "$*" > ${folder}/seen; env >> ${folder}/seen; host="$FOR"
      "$GIT_ASKPASS" "Username for '$host': "; "$GIT_ASKPASS" "Password for '$WITH': "; exit 0`,
      undefined,
      async (url) => (url.includes('none') ? null : { username: 'x', password: 'planted-pw' }),
    );
    const ask = async (remoteUrl: string, host: string) => {
      const env = { FOR: `https://${host}`, WITH: `https://x@${host}` };
      return (await fake.run({ purpose: 'fetch', args: ['fetch'], remoteUrl, env })).stdout;
    };
    expect(await ask('https://h.example/a/b.git', 'h.example')).toBe('x\nplanted-pw\n');
    expect(await readFile(join(folder, 'seen'), 'utf8')).not.toContain('planted-pw');
    expect(await ask('https://h.example/a/b.git', 'evil.example')).toBe('');
    expect(await ask('https://h.example/a/b.git', 'h.example.evil.example')).toBe('');
    expect(await ask('https://none.example/a', 'none.example')).toBe('');
    expect(await readFile(join(folder, 'home', 'askpass'), 'utf8')).not.toContain('planted-pw');
  });

  it('limits output: as an error, or cut where that is asked for', async () => {
    const fake = await fakeGit('while :; do echo 0123456789; done');
    await expect(fake.run({ purpose: 'x', args: [], maxOutputBytes: 100 })).rejects.toThrow(
      /more than allowed/,
    );
    const cut = await fake.run({ purpose: 'x', args: [], maxOutputBytes: 100, truncate: true });
    expect(cut).toMatchObject({ truncated: true, exitCode: 0 });
    expect(cut.stdout).toHaveLength(100);
  });

  it('says that git is missing', async () => {
    const none = await createGit({
      homePath: join(folder, 'home'),
      gitPath: join(folder, 'nothing'),
    });
    await expect(none.run({ purpose: 'init', args: [] })).rejects.toMatchObject({
      code: 'git_failed',
      message: expect.stringMatching(/^git cannot be started: .*nothing.*not found/),
    });
  });
});

describe('redactUrls', () => {
  it('hides userinfo and nothing else', () => {
    expect(redactUrls("fatal: 'ssh://git:pw@h/a' and https://tok@h/b?c=d@e mail a@b.c")).toBe(
      "fatal: 'ssh://***@h/a' and https://***@h/b?c=d@e mail a@b.c",
    );
  });
});
