import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { WorkspaceError } from '../workspace/workspace.ts';
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

  it('is said at the start, in the log and to the agent', async () => {
    agent();
    offer();
    expect((await finished()).outcome).toBe('completed');
    const words =
      'The submodule lib was not checked out by the runner: its address https://elsewhere.test/lib';
    expect(rig.payloads('notice')).toEqual([
      { level: 'warning', message: expect.stringContaining(words) as string },
    ]);
    expect(told(1)).toContain(words);
  });

  it('is none of the agent where hooks left it before', async () => {
    agent(() => edit('work.txt'));
    offer({ hooks: { afterCreate: 'mkdir -p lib/build && echo built > lib/build/out' } });
    const { outcome, delivery } = await finished();
    expect({ outcome, files: delivery?.diffStat.files }).toEqual({
      outcome: 'completed',
      files: 1,
    });
    expect(rig.world.engine.sessions.at(-1)?.turns).toHaveLength(1);
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
  const inLib = (...args: string[]) => rig.world.fixture.git(at('lib'), ...args).trim();
  beforeEach(async () => {
    const { fixture } = rig.world;
    const commit = await makeRepository(fixture, 'lib', { 'lib.txt': 'lib\n' });
    await addSubmodules(fixture, [{ path: 'lib', url: '../lib.git', commit }]);
    next = commitAs(fixture, 'lib');
    commitAs(fixture, 'lib');
  });

  it('is moved to a commit that the remote of the submodule has', async () => {
    agent(() => Promise.resolve(inLib('checkout', '-q', next)));
    offer();
    const { outcome, delivery } = await finished();
    expect({ outcome, files: delivery?.diffStat.files }).toEqual({
      outcome: 'completed',
      files: 1,
    });
    const { git, remotePath } = rig.world.fixture;
    expect(git(remotePath, 'ls-tree', delivery?.commitSha ?? '', 'lib')).toContain(next);
    expect(rig.payloads('notice')).toEqual([]);
    const mounts = rig.world.containers.specs.at(-1)?.mounts ?? [];
    expect(mounts.filter(({ readOnly }) => readOnly)).toHaveLength(2);
  });

  it('is not delivered at a commit that nobody has, and the agent is told', async () => {
    agent(() => Promise.resolve(inLib('commit', '-q', '--allow-empty', '-m', 'mine')));
    offer({ limits: { ...limits, maxTurns: 8 } });
    const { outcome, reasonCode, message } = await finished();
    expect({ outcome, reasonCode }).toEqual({ outcome: 'failed', reasonCode: 'work_refused' });
    expect(told(2)).toContain(`lib: points to ${inLib('rev-parse', 'HEAD')}`);
    expect(message).toContain('lib: points to');
    expect(branches()).not.toContain('switchyard/');
  });

  it('is taken back, also by an agent that had committed it', async () => {
    agent(
      async () => {
        inLib('commit', '-q', '--allow-empty', '-m', 'mine');
        rig.world.fixture.git(workspace(), 'commit', '-qam', 'move');
        await edit('work.txt');
      },
      () => {
        const git = (...args: string[]) => rig.world.fixture.git(workspace(), ...args);
        git('checkout', '-q', 'main', '--', 'lib');
        git('submodule', '--quiet', 'update', 'lib');
        return Promise.resolve();
      },
    );
    offer();
    const { outcome, delivery } = await finished();
    expect({ outcome, files: delivery?.diffStat.files }).toEqual({
      outcome: 'completed',
      files: 1,
    });
  });
});

describe('work whose submodules cannot be looked at for a while', { timeout: 60_000 }, () => {
  it('is delivered once they can, by the same agent run', async () => {
    const { git } = rig.world.fixture.workspaces;
    const { run } = git;
    let left = 5;
    git.run = async (command) => {
      // The first look is the turn's own; the others are the delivery's.
      if (command.args[0] === 'merge-base' && left > 0) {
        left -= 1;
        throw new WorkspaceError('host_unreachable', 'the host of lib does not answer');
      }
      return run(command);
    };
    agent(() => edit('new.txt'));
    offer();
    const { outcome, delivery } = await finished();
    expect({ outcome, pushed: delivery?.pushed, left }).toEqual({
      outcome: 'completed',
      pushed: true,
      left: 0,
    });
    expect(rig.world.engine.sessions.at(-1)?.turns).toHaveLength(1);
    expect(rig.payloads('notice')).toHaveLength(4);
  });
});
