import type { IssueDetail } from '@switchyard/shared/api/work/issue';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failingWorkTitle } from '../support/chaos/chaos-work.ts';
import { ChaosWorld, type LinkedRunner } from '../support/chaos/chaos-world.ts';
import { lostAcknowledged } from '../support/chaos/check-acknowledged.ts';
import { lostCommits } from '../support/chaos/check-delivery.ts';
import { interleavedDriving } from '../support/chaos/check-driving.ts';
import { killPoints, retryWaiting } from '../support/chaos/kill-point.ts';
import { until } from '../support/e2e/until.ts';

const DONE_TIMEOUT_MS = 90_000;
const CASE_TIMEOUT_MS = 180_000;
const RETRY_BASE_MS = 5_000;

// One world for all cases, one issue each: what a case leaves behind would show in the next one.
describe('killed at a known moment', () => {
  let world: ChaosWorld;
  let lastWork = 0;
  const works = new Map<string, number>();

  beforeAll(async () => {
    world = await ChaosWorld.start({
      sandbox: 'process',
      slots: 2,
      leaseTtlMs: 18_000,
      pace: { thinkMs: 30, commandSeconds: 0.05 },
      config: { 'agent.retryBaseMs': String(RETRY_BASE_MS) },
    });
  }, CASE_TIMEOUT_MS);
  afterAll(() => world?.close());

  /** Files an issue, waits for the moment, and has the kill done while nothing passes. */
  async function killAt(
    point: (typeof killPoints)[number],
    kill: (holder: LinkedRunner) => Promise<void>,
    title?: (work: number) => string,
  ): Promise<string> {
    const work = (lastWork += 1);
    let identifier = '';
    const reached = point.reach(world, () => identifier);
    identifier = await world.createWork(work, title);
    works.set(identifier, work);
    const trapped = await reached;
    const holder = trapped ?? (await holderOf(identifier));
    await kill(holder);
    trapped?.link.heal('cut');
    return identifier;
  }

  async function holderOf(identifier: string): Promise<LinkedRunner> {
    const [attempt] = (await world.client.issue(identifier)).attempts;
    const holder = world.runners.find(({ runner }) => runner.runnerId === attempt?.runnerId);
    return holder ?? world.runners[0]!;
  }

  const killPlane = async () => {
    await world.plane.end('SIGKILL');
  };

  async function delivered(identifier: string): Promise<IssueDetail> {
    const look = () => world.ask((client) => client.issue(identifier));
    const done = (issue: IssueDetail) =>
      issue.status === 'completed' && issue.state === 'In Review';
    const issue = await until(look, done, {
      what: `${identifier} delivered`,
      timeoutMs: DONE_TIMEOUT_MS,
    });
    const { client, record, repository } = world;
    const work = works.get(identifier) ?? 0;
    const one = { client, record, repository, works: new Map([[identifier, work]]) };
    expect(await lostCommits(one)).toEqual([]);
    return issue;
  }

  describe.each(killPoints)('$name', (point) => {
    it('the runner', { timeout: CASE_TIMEOUT_MS }, async () => {
      const identifier = await killAt(point, async ({ runner }) => {
        await runner.end('SIGKILL');
        runner.start();
      });
      const { attempts } = await delivered(identifier);
      expect(attempts).toHaveLength(1);
    });

    it('the control plane', { timeout: CASE_TIMEOUT_MS }, async () => {
      const identifier = await killAt(point, killPlane);
      await world.plane.start();
      const { attempts } = await delivered(identifier);
      expect(attempts).toHaveLength(1);
    });
  });

  describe('retry waiting', () => {
    const waiting = async (kill: (holder: LinkedRunner) => Promise<void>) => {
      let due: string | null = null;
      const look = {
        ...retryWaiting,
        async reach(in_: ChaosWorld, identifier: () => string) {
          await retryWaiting.reach(in_, identifier);
          due = (await in_.client.issue(identifier())).nextRetryAt;
          return null;
        },
      };
      const identifier = await killAt(look, kill, failingWorkTitle);
      return { identifier, due: () => due };
    };

    async function waitedUntilDue(identifier: string, due: string | null): Promise<boolean> {
      const { attempts } = await delivered(identifier);
      expect(attempts).toHaveLength(2);
      return Date.parse(attempts[0]?.queuedAt ?? '') >= Date.parse(due ?? '');
    }

    it('the runner', { timeout: CASE_TIMEOUT_MS }, async () => {
      const { identifier, due } = await waiting(async ({ runner }) => {
        await runner.end('SIGKILL');
        runner.start();
      });
      expect(await waitedUntilDue(identifier, due())).toBe(true);
    });

    it('the control plane', { timeout: CASE_TIMEOUT_MS }, async () => {
      const { identifier, due } = await waiting(killPlane);
      await world.plane.start();
      expect((await world.ask((client) => client.issue(identifier))).nextRetryAt).toBe(due());
      expect(await waitedUntilDue(identifier, due())).toBe(true);
    });
  });

  it('nothing was lost, ran twice or was left over', { timeout: CASE_TIMEOUT_MS }, async () => {
    const look = () => world.traces(world.runnerIds);
    const wait = { what: 'no process of an attempt', timeoutMs: 20_000 };
    await until(look, (left) => left.length === 0, wait);
    expect(await lostAcknowledged(world.record, world.client)).toEqual([]);
    expect([...world.watch.overlaps, ...interleavedDriving(world.driven)]).toEqual([]);
  });
});
