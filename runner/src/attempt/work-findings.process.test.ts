import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FakeTurn } from './testing/fake-engine.ts';
import { limits, useHost } from './testing/use-host.ts';

const rig = useHost();
const { finished, offer, payloads, workspace } = rig;

const git = (...args: string[]): string => rig.world.fixture.git(workspace(), ...args).trim();
const fails = (...args: string[]): void => {
  expect(() =>
    execFileSync('git', args, {
      cwd: workspace(),
      stdio: 'pipe',
      env: { ...process.env, GIT_EDITOR: 'true' },
    }),
  ).toThrow(/./);
};
async function commit(name: string, text: string): Promise<string> {
  await rig.world.fixture.write(join(workspace(), name), text);
  git('add', '-A');
  git('commit', '-qm', `change ${name}`);
  return git('rev-parse', 'HEAD');
}

/** An agent that says after each step that it is done; after the last one it changes nothing. */
function agent(...steps: (() => Promise<void>)[]): void {
  rig.world.engine.script = async (turn: FakeTurn) => {
    await steps[turn.number - 1]?.();
    turn.message('Finished.\n\nSWITCHYARD_STATUS: DONE');
    turn.end();
  };
}
const told = (turn: number): string =>
  rig.world.engine.sessions.at(-1)?.turns[turn - 1]?.input.text ?? '';
const pushed = (branch = ''): string =>
  rig.world.fixture.git(rig.world.fixture.remotePath, 'rev-parse', branch).trim();

async function startMerge(): Promise<void> {
  git('checkout', '-qb', 'other');
  await commit('src/app.txt', 'one\ntheirs\nthree\n');
  git('checkout', '-q', '-');
  await commit('src/app.txt', 'one\nours\nthree\n');
  fails('merge', 'other');
}

describe('an agent that says it is done with work unfinished', { timeout: 60_000 }, () => {
  it('is told of its open merge, and delivers once it is resolved', async () => {
    agent(startMerge, async () => void (await commit('src/app.txt', 'one\nboth\nthree\n')));
    offer();
    const { outcome, delivery } = await finished();
    expect(outcome).toBe('completed');
    expect(told(2)).toContain('a merge is not finished');
    expect(told(2)).toContain('src/app.txt is in conflict');
    expect(pushed(delivery?.branch)).toBe(delivery?.commitSha);
    expect(git('rev-list', '--parents', '-n1', delivery?.commitSha ?? '').split(' ')).toHaveLength(
      3,
    );
  });

  it('never gets conflict markers into a branch, however often it says that it is done', async () => {
    agent(startMerge);
    offer({ limits: { ...limits, maxTurns: 8 } });
    const { outcome, failureKind, reasonCode, message, delivery } = await finished();
    expect({ outcome, failureKind, reasonCode, delivery }).toEqual({
      outcome: 'failed',
      failureKind: 'delivery_refused',
      reasonCode: 'work_refused',
      delivery: undefined,
    });
    expect(message).toContain('a merge is not finished');
    expect(told(4)).toContain('src/app.txt');
    expect(rig.world.engine.sessions.at(-1)?.turns).toHaveLength(4);
    expect(rig.world.fixture.git(rig.world.fixture.remotePath, 'branch', '--list')).not.toContain(
      'switchyard/',
    );
  });

  it('is told of a history that shares nothing with the base branch', async () => {
    agent(async () => {
      git('checkout', '-q', '--orphan', 'fresh');
      await commit('new.txt', 'new\n');
    });
    offer();
    const { failureKind, message } = await finished();
    expect(told(2)).toContain('unrelated_history');
    expect({ failureKind, message }).toMatchObject({
      failureKind: 'delivery_refused',
      message: expect.stringContaining('shares no commit with the base branch') as string,
    });
  });

  it('is asked once about commits left aside; then they are named, kept and not delivered', async () => {
    let half = '';
    agent(async () => {
      git('checkout', '-qb', 'half');
      half = await commit('half.txt', 'half\n');
      git('checkout', '-q', '-');
      await commit('rest.txt', 'rest\n');
    });
    offer();
    const { delivery, summary } = await finished();
    expect(told(2)).toContain('"change half.txt" (half)');
    expect(rig.world.engine.sessions.at(-1)?.turns).toHaveLength(2);
    expect(git('diff', '--name-only', `${delivery?.commitSha}^`, delivery?.commitSha ?? '')).toBe(
      'rest.txt',
    );
    expect(summary).toContain(`Not delivered: commit ${half.slice(0, 12)}`);
    expect(payloads('notice')).toMatchObject([
      { message: expect.stringContaining('half') as string },
    ]);
  });

  it('delivers all of it when the agent brings together what was left aside', async () => {
    agent(
      async () => {
        git('checkout', '-q', '--detach');
        await commit('half.txt', 'half\n');
        git('checkout', '-q', '-');
        await commit('rest.txt', 'rest\n');
      },
      async () => void git('cherry-pick', 'HEAD@{2}'),
    );
    offer();
    const { delivery } = await finished();
    expect(delivery?.diffStat.files).toBe(2);
  });
});
