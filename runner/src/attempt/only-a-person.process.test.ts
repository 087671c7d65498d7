import { execFileSync } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useHost } from './testing/use-host.ts';

const rig = useHost();
const { finished, offer, workspace } = rig;
const commit = { name: 'Sam', email: 'sam@example.test', sign: true };
const folder = () => rig.world.fixture.folder;

async function emptyRepository(): Promise<string> {
  const path = join(folder(), 'empty.git');
  execFileSync('git', ['init', '--quiet', '--bare', path]);
  return `file://${path}`;
}

/** Nothing of it passes by itself, so the control plane is told a code that blocks the issue. */
describe('an attempt that only a person can have begin', { timeout: 60_000 }, () => {
  it.each([
    {
      case: 'a repository without a commit',
      change: async () => ({ repository: { url: await emptyRepository() } }),
      reasonCode: 'repository_unusable',
      message: /push a first commit/,
    },
    {
      case: 'no repository at the address',
      change: async () => ({ repository: { url: `file://${folder()}/nowhere` } }),
      reasonCode: 'repository_unusable',
      message: /there is no repository at/,
    },
    {
      case: 'a configured branch that is not there',
      change: async () => ({
        repository: { url: rig.world.fixture.source.url, defaultBranch: 'trunk' },
      }),
      reasonCode: 'base_missing',
      message: /has no branch trunk.*default_branch/s,
    },
    {
      case: 'a folder that this runner did not make',
      change: async () => {
        await mkdir(workspace());
        return {};
      },
      reasonCode: 'workspace_foreign',
      message: /did not make; move it away/,
    },
    {
      case: 'a link where the workspace belongs',
      change: async () => {
        await symlink(folder(), workspace());
        return {};
      },
      reasonCode: 'workspace_foreign',
      message: /is a symbolic link/,
    },
    {
      case: 'a branch that cannot be ours',
      change: async () => ({ branch: 'switchyard/a..b' }),
      reasonCode: 'branch_refused',
      message: /a\.\.b/,
    },
    {
      case: 'no key to sign with',
      change: async () => ({ commit }),
      reasonCode: 'signing_key_missing',
      message: /--signing-key/,
    },
    {
      case: 'settings of a repository that a plain process cannot hide',
      change: async () => {
        await rig.world.fixture.commitOnRemote('main', { '.agent/run.json': '{}\n' });
        rig.world.engine.hiddenFolders = ['.agent'];
        return {};
      },
      failureKind: 'agent_error',
      reasonCode: 'settings_not_hidden',
      message: /\.agent.*run agents in Docker/,
    },
  ])('says so of $case', async ({ change, failureKind = 'workspace_error', ...told }) => {
    offer(await change());
    expect(await finished()).toMatchObject({
      outcome: 'failed',
      failureKind,
      reasonCode: told.reasonCode,
      message: expect.stringMatching(told.message) as string,
    });
    expect(rig.world.containers.started).toHaveLength(0);
  });
});
