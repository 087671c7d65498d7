import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NEEDS_PERSON } from '@switchyard/shared/reasons/needs-person';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CallError } from '../../../connection/calls.ts';
import { createGitCredentials } from './git-credentials.ts';
import { FakeClock } from '../../../connection/testing/fake-clock.ts';
import { type Git, createGit } from '../git.ts';

const URL = 'https://git.example/shop.git';
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchyard-git-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A git that says this and ends with this code, on a runner whose control plane answers `error`. */
async function gitWith(error: CallError, script: string): Promise<Git> {
  const gitPath = join(folder, 'fake-git');
  await writeFile(gitPath, `#!/bin/sh\n${script}\n`);
  await chmod(gitPath, 0o755);
  const call = async () => {
    throw error;
  };
  const open = async () => ({});
  const credentials = createGitCredentials({ calls: { call }, clock: new FakeClock(), open });
  return createGit({ homePath: join(folder, 'home'), gitPath, remoteCredential: credentials });
}
const LOCKED = `echo "fatal: could not read Username for 'https://git.example'" >&2; exit 128`;
const push = (git: Git) =>
  git.run({ args: ['push', URL], remoteUrl: URL, okExitCodes: [0, 1, 128] }).then(
    ({ stdout }) => stdout,
    (error: unknown) => error as { code: string; message: string },
  );

describe('a control plane that gives no credentials', () => {
  it('because the lease is over is not taken for a lack of access', async () => {
    const why = 'this runner holds no attempt and no call of this repository';
    const error = await push(await gitWith(new CallError('REFUSED', why), LOCKED));
    expect(error).toMatchObject({
      code: 'git_failed',
      message: expect.stringContaining(why) as string,
    });
    expect(NEEDS_PERSON.has('git_failed')).toBe(false);
  });

  it('leaves git what the host itself has', async () => {
    const git = await gitWith(new CallError('REFUSED', 'no attempt'), 'echo pushed');
    expect(await push(git)).toBe('pushed\n');
  });

  it.each(['failed', 'busy', 'malformed'])(
    'in trouble (%s) is asked another time',
    async (code) => {
      const error = await push(await gitWith(new CallError(code, 'GitHub answers 502'), LOCKED));
      expect(error).toMatchObject({ code: 'host_unreachable' });
    },
  );

  it('because the code host gives it no access needs a person', async () => {
    const why = 'the app is not installed on acme/shop';
    const error = await push(await gitWith(new CallError('host_auth_failed', why), LOCKED));
    expect(error).toMatchObject({
      code: 'host_auth_failed',
      message: expect.stringContaining(why) as string,
    });
  });
});
