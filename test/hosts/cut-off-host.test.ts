import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exec, say } from '../../control-plane/scripted-provider/step.ts';
import type { ProviderRequest } from '../../control-plane/scripted-provider/provider-request.ts';
import { dockerPart } from '../support/docker.ts';
import { until } from '../support/e2e/until.ts';
import { claimOldLease } from '../support/hosts/claim-old-lease.ts';
import { type HostsWorld, type RunnerHost, startHostsWorld } from '../support/hosts/hosts-world.ts';

/** Long enough for renewals on a machine that does much else. */
const LEASE_TTL_MS = 15_000;
/** Lease, grace, a new start of the agent, and a slow machine. */
const MOVED_TIMEOUT_MS = 120_000;
const START_TIMEOUT_MS = 300_000;
const docker = await dockerPart();

/** Turn 1 leaves a file, turn 2 takes long where it begins and ends once it is somewhere else. */
function workInTwoTurns() {
  const seen = { secondTurn: 0, history: [] as string[], mayEnd: Promise.withResolvers<void>() };
  let firstDone = false;
  let moved = false;
  const script = async ({ stepIndex, toolOutputs }: ProviderRequest) => {
    if (!firstDone) {
      if (stepIndex === 0) return exec('echo before the cut > first.txt && echo one');
      firstDone = true;
      return say('The first half is done.');
    }
    if (stepIndex === 0) seen.secondTurn += 1;
    if (!moved) return exec('echo begun > second.txt; sleep 600', 30_000);
    if (stepIndex === 0) {
      seen.history = [...toolOutputs];
      await seen.mayEnd.promise;
      return exec('cat first.txt && echo after the cut > second.txt');
    }
    return say('Both halves are done.\n\nSWITCHYARD_STATUS: DONE');
  };
  const move = () => {
    moved = true;
  };
  return { seen, script, move };
}

// One world, one story: the order matters.
describe(`a runner host that is cut off, agents in ${docker.available ? 'containers' : 'processes'}`, () => {
  const work = workInTwoTurns();
  let world: HostsWorld;
  let cut: RunnerHost;
  let other: RunnerHost;
  let oldEpoch: number;

  beforeAll(async () => {
    world = await startHostsWorld({
      sandbox: docker.available ? 'docker' : 'process',
      leaseTtlMs: LEASE_TTL_MS,
      script: work.script,
    });
  }, START_TIMEOUT_MS);
  afterAll(async () => {
    work.seen.mayEnd.resolve();
    await world?.close();
  });

  const tracesOf = async ({ runner }: RunnerHost) =>
    (await world.traces(new Set([runner.runnerId]))).filter(({ isRunning }) => isRunning);
  const bothConnected = () =>
    until(
      () => world.client.runners(),
      (all) => all.every(({ status }) => status === 'connected'),
      { what: 'both runners', timeoutMs: MOVED_TIMEOUT_MS },
    );
  const attemptOf = async (identifier: string) => (await world.client.issue(identifier)).attempts;

  it(
    'ends what it runs by itself, while the other goes on from the last checkpoint',
    async () => {
      const { client } = world;
      await client.createIssue({ title: 'Work in two turns' });
      const [first] = await until(
        () => attemptOf('SY-1'),
        () => work.seen.secondTurn > 0,
        { what: 'the second turn', timeoutMs: MOVED_TIMEOUT_MS },
      );
      const holder = world.hosts.find(({ runner }) => runner.runnerId === first?.runnerId);
      const rest = world.hosts.find((one) => one !== holder);
      if (holder === undefined || rest === undefined) throw new Error('nobody holds the attempt');
      [cut, other, oldEpoch] = [holder, rest, first?.leaseEpoch ?? 0];
      expect(await tracesOf(cut)).not.toEqual([]);
      const checkpoints = await client.must<{ checkpoints: { trigger: string }[] }>(
        'GET',
        `/attempts/${first?.attemptId}/checkpoints`,
      );
      expect(checkpoints.checkpoints.map(({ trigger }) => trigger)).toContain('turn_completed');

      cut.host.cutOff();
      work.move();
      await until(
        () => tracesOf(cut),
        (left) => left.length === 0,
        { what: 'the end of what the cut-off host ran', timeoutMs: MOVED_TIMEOUT_MS },
      );
      const [moved, ...more] = await until(
        () => attemptOf('SY-1'),
        () => work.seen.secondTurn > 1,
        { what: 'the second turn on the other host', timeoutMs: MOVED_TIMEOUT_MS },
      );
      expect(more).toEqual([]);
      expect(moved).toMatchObject({
        attemptId: first?.attemptId,
        number: 1,
        status: 'running',
        runnerId: other.runner.runnerId,
      });
      expect(work.seen.history.join('\n')).toContain('one');
    },
    START_TIMEOUT_MS,
  );

  it('is fenced when it is back, and changes nothing', { timeout: START_TIMEOUT_MS }, async () => {
    const { client, repository } = world;
    cut.host.plugIn();
    await bothConnected();
    expect(await tracesOf(cut)).toEqual([]);
    // A host that believed in its old lease would say this; its own process stands aside meanwhile.
    await cut.runner.end('SIGTERM');
    const [attempt] = await attemptOf('SY-1');
    const { attemptId = '', leaseEpoch = 0 } = attempt ?? {};
    const claim = await claimOldLease(client, cut.runner, { attemptId, epoch: oldEpoch });
    const fence = { attemptId, epoch: oldEpoch, code: 'LEASE_LOST' };
    expect(claim.verdicts).toEqual([{ ...fence, verdict: 'stop' }]);
    expect(claim.answer).toMatchObject([{ ...fence, type: 'fence', currentEpoch: leaseEpoch }]);
    cut.runner.start();

    work.seen.mayEnd.resolve();
    const issue = await client.settled('SY-1', MOVED_TIMEOUT_MS);
    expect(issue).toMatchObject({ status: 'completed', attemptCount: 1 });
    const commit = issue.attempts[0]?.commitSha ?? '';
    const show = (path: string) => repository.git('show', `${commit}:${path}`);
    expect(await show('first.txt')).toBe('before the cut');
    expect(await show('second.txt')).toBe('after the cut');
    const { events } = await client.attempt(attemptId);
    expect(JSON.stringify(events)).not.toContain('from the past');
    expect(world.watch.overlaps).toEqual([]);
  });

  it('works again as before', { timeout: START_TIMEOUT_MS }, async () => {
    const { client } = world;
    await bothConnected();
    await client.must('POST', `/runners/${other.runner.runnerId}/drain`, {});
    await client.createIssue({ title: 'Work for the host that is back' });
    const issue = await client.settled('SY-2', MOVED_TIMEOUT_MS);
    expect(issue).toMatchObject({ status: 'completed' });
    expect(issue.attempts[0]?.runnerId).toBe(cut.runner.runnerId);
    cut.runner.assertNotCrashed();
    other.runner.assertNotCrashed();
  });
});
