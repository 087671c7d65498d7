import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect } from 'vitest';
import type { CheckSpec } from '@switchyard/shared/checks/check-spec';
import type { AttemptSpec } from '@switchyard/shared/protocol/attempt-spec';
import { useHost } from '../../testing/use-host.ts';

export const BRANCH = 'switchyard/sy-1-fix-it';

export const check = (name: string, command: string): CheckSpec => ({
  name,
  command,
  timeoutMs: 300_000,
});

/** A host that is offered merges, and the words to follow them. */
export function useMerge() {
  const rig = useHost();
  const at = (name: string): string => join(rig.world.fixture.folder, name);
  const remote = (...args: string[]): string =>
    rig.world.fixture.git(rig.world.fixture.remotePath, ...args).trim();
  const pids = (): number[] =>
    existsSync(at('pids'))
      ? (readFileSync(at('pids'), 'utf8').match(/\d+\n/g)?.map(Number) ?? [])
      : [];
  // A shell of a test that failed waits no longer than the test.
  afterEach(() => {
    for (const pid of pids()) if (existsSync(`/proc/${pid}`)) process.kill(pid, 'SIGKILL');
  });
  return Object.assign(Object.create(rig) as typeof rig, {
    at,
    remote,
    base: () => remote('rev-parse', 'refs/heads/main'),
    commit: (branch: string, files: Record<string, string>) =>
      rig.world.fixture.commitOnRemote(branch, files),
    offerMerge: (expectedCommit: string, change: Partial<AttemptSpec> = {}) =>
      rig.offer({
        merge: { baseBranch: 'main', branch: BRANCH, expectedCommit, message: 'Merge SY-1' },
        branch: BRANCH,
        ...change,
      }),
    ended: () => rig.payloads('check').filter((one) => one['state'] === 'ended'),
    /** Tells its run, and waits there until the test goes on. */
    waiting: (): CheckSpec =>
      check('waits', `echo $$ >>${at('pids')}; until [ -e ${at('go')} ]; do sleep 0.02; done`),
    waits: () => expect.poll(pids, { timeout: 60_000 }).not.toEqual([]),
    goOn: (): void => writeFileSync(at('go'), ''),
    cancel: (): void =>
      rig.world.plane.say({
        type: 'cancel',
        attemptId: 'att_00000001',
        epoch: 1,
        reason: 'asked to',
        graceMs: 100,
      }),
    /** What is left of the test: workspaces, their records, and refs of the mirrors. */
    leftovers(): string[] {
      const { workspaces, records, mirrors } = rig.world.fixture.workspaces.paths;
      const refs = readdirSync(mirrors).flatMap((name) => {
        const args = ['for-each-ref', '--format=%(refname)', 'refs/switchyard'];
        return rig.world.fixture.git(join(mirrors, name), ...args).split('\n');
      });
      return [...readdirSync(workspaces), ...readdirSync(records), ...refs].filter(Boolean);
    },
    /** What was started or asked of an engine. */
    engineUse: () => ({
      launches: rig.world.engine.launches.length,
      sessions: rig.world.engine.sessions.length,
      containers: rig.world.containers.started.length,
    }),
  });
}
