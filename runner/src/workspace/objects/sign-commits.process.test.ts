import { execFileSync, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { prepareWorkspace } from '../prepare-workspace.ts';
import { takeSnapshot } from './snapshot.ts';
import { runAsProcess } from '../testing/run-as-process.ts';
import type { WorkspaceFixture } from '../testing/workspace-fixture.ts';
import { makeWorkspaceFixture, testIdentity } from '../testing/workspace-fixture.ts';

const hasKeygen = spawnSync('ssh-keygen', ['-?']).error === undefined;

describe.skipIf(!hasKeygen)('signed snapshots', () => {
  let fixture: WorkspaceFixture;
  beforeEach(async () => {
    fixture = await makeWorkspaceFixture();
  });
  afterEach(() => fixture.dispose());

  it('signs every commit beyond the base on the host, alike each time', async () => {
    const key = join(fixture.folder, 'key');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
    const identity = { ...testIdentity, signingKeyPath: key };
    const workspace = await prepareWorkspace(fixture.workspaces, {
      issue: { identifier: 'SY-1', title: 'x' },
      source: fixture.source,
      identity,
      nowMs: 1,
    });
    fixture.git(workspace.path, 'commit', '-q', '--allow-empty', '-m', 'Ünï\n\n  indented\n\nbody');
    await writeFile(join(workspace.path, 'x.txt'), 'x\n');
    const run = runAsProcess(workspace.path);
    const take = () =>
      takeSnapshot(fixture.workspaces, run, {
        workspace,
        attemptId: 'a',
        identity,
        message: 'm',
        agentStopped: true,
      });
    const taken = await take();
    expect(JSON.stringify(run.calls)).not.toContain(key);
    const allowed = join(fixture.folder, 'allowed');
    await writeFile(
      allowed,
      `sam@example.test ${execFileSync('ssh-keygen', ['-y', '-f', key], { encoding: 'utf8' })}`,
    );
    const log = fixture.git(
      workspace.mirrorPath,
      '-c',
      `gpg.ssh.allowedSignersFile=${allowed}`,
      'log',
      '--format=%G?|%an|%cn|%s',
      `${workspace.baseCommit}..${taken.commitSha}`,
    );
    expect(log.trim().split('\n')).toEqual(['G|Sam Switch|Sam Switch|m', 'G|Dev|Sam Switch|Ünï']);
    expect(
      fixture
        .git(workspace.mirrorPath, 'log', '-1', '--format=%B', `${taken.commitSha}^`)
        .trimEnd(),
    ).toBe('Ünï\n\n  indented\n\nbody');
    expect((await take()).commitSha).toBe(taken.commitSha);
  });
});
