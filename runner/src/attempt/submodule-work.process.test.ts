import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { addSubmodules, commitAs, makeRepository } from '../workspace/testing/submodule-fixture.ts';
import type { FakeTurn } from './testing/fake-engine.ts';
import { limits, useHost } from './testing/use-host.ts';

const rig = useHost();
const { finished, offer, workspace } = rig;

const at = (name: string): string => join(workspace(), name);
const edit = (name: string): Promise<void> => rig.world.fixture.write(at(name), `${name}\n`);
const told = (turn: number): string =>
  rig.world.engine.sessions.at(-1)?.turns[turn - 1]?.input.text ?? '';
const branches = (): string =>
  rig.world.fixture.git(rig.world.fixture.remotePath, 'branch', '--list');

/** An agent that says after each step that it is done; after the last one it changes nothing. */
function agent(...steps: (() => Promise<unknown>)[]): void {
  rig.world.engine.script = async (turn: FakeTurn) => {
    await steps[turn.number - 1]?.();
    turn.message('Finished.\n\nSWITCHYARD_STATUS: DONE');
    turn.end();
  };
}

describe('work in a submodule that nobody checked out', { timeout: 60_000 }, () => {
  beforeEach(async () => {
    const { fixture } = rig.world;
    const commit = await makeRepository(fixture, 'lib', { 'lib.txt': 'lib\n' });
    await addSubmodules(fixture, [{ path: 'lib', url: 'https://elsewhere.test/lib', commit }]);
  });

  it('is named to the agent, which moves it out and delivers it', async () => {
    agent(
      () => edit('lib/new.txt'),
      () => rm(at('lib/new.txt')).then(() => edit('new.txt')),
    );
    offer();
    const { outcome, delivery } = await finished();
    expect(told(2)).toContain('- lib/new.txt is a change in the submodule lib');
    expect({ outcome, files: delivery?.diffStat.files }).toEqual({
      outcome: 'completed',
      files: 1,
    });
  });

  it('is never lost in silence, however often the agent says that it is done', async () => {
    agent(() => edit('lib/new.txt'));
    offer({ limits: { ...limits, maxTurns: 8 } });
    const { outcome, failureKind, reasonCode, message } = await finished();
    expect({ outcome, failureKind, reasonCode }).toEqual({
      outcome: 'failed',
      failureKind: 'delivery_refused',
      reasonCode: 'work_refused',
    });
    expect(message).toContain('lib/new.txt is a change in the submodule lib');
    expect(rig.world.engine.sessions.at(-1)?.turns).toHaveLength(4);
    expect(branches()).not.toContain('switchyard/');
  });
});

describe('the pointer of a submodule', { timeout: 60_000 }, () => {
  let next: string;
  const move = (commit: string, path = 'lib') => {
    const { git } = rig.world.fixture;
    git(workspace(), 'update-index', '--add', '--cacheinfo', `160000,${commit},${path}`);
    git(workspace(), 'commit', '-qm', 'move a submodule');
    return Promise.resolve();
  };
  const unknown = 'd'.repeat(40);
  beforeEach(async () => {
    const { fixture } = rig.world;
    const commit = await makeRepository(fixture, 'lib', { 'lib.txt': 'lib\n' });
    await addSubmodules(fixture, [{ path: 'lib', url: '../lib.git', commit }]);
    next = commitAs(fixture, 'lib');
    commitAs(fixture, 'lib');
  });

  it('is moved to a commit that the remote of the submodule has', async () => {
    agent(() => move(next));
    offer();
    const { outcome, delivery } = await finished();
    expect({ outcome, files: delivery?.diffStat.files }).toEqual({
      outcome: 'completed',
      files: 1,
    });
    const { git, remotePath } = rig.world.fixture;
    expect(git(remotePath, 'ls-tree', delivery?.commitSha ?? '', 'lib')).toContain(next);
  });

  it('is not delivered at a commit that nobody has, and the agent is told', async () => {
    agent(() => move(unknown));
    offer({ limits: { ...limits, maxTurns: 8 } });
    const { outcome, reasonCode, message } = await finished();
    expect({ outcome, reasonCode }).toEqual({ outcome: 'failed', reasonCode: 'work_refused' });
    expect(told(2)).toContain(`points to ${unknown}`);
    expect(message).toContain('lib: points to');
    expect(branches()).not.toContain('switchyard/');
  });
});
