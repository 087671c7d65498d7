import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { addSubmodules, makeRepository } from '../workspace/testing/submodule-fixture.ts';
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
