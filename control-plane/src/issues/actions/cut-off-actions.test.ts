import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase } from '../../../../test/support/test-database.ts';
import { createTestPorts, type TestPorts } from '../../../../test/support/test-ports.ts';
import { defaultConfig } from '../../config/schema/config-schema.ts';
import { runners } from '../../db/schema/runners/runners.ts';
import { attempts } from '../../db/schema/work/attempts.ts';
import { audit } from '../../db/schema/operation/audit.ts';
import { jobs } from '../../db/schema/operation/jobs.ts';
import { checkpoints } from '../../db/schema/work/checkpoints.ts';
import { issues } from '../../db/schema/work/issues.ts';
import { transitions } from '../../db/schema/work/transitions.ts';
import type { Deps } from '../../deps.ts';
import { type JobHandler, runJobs } from '../../jobs/queue/run-jobs.ts';
import { connectDelivery } from '../../pull-requests/delivery/connect-delivery.ts';
import { deliverAgain } from '../../pull-requests/delivery/deliver-again.ts';
import { createEffectHandler } from '../../coordinator/create-effect-handler.ts';
import { newIssueRow } from '../../ports/tracker/issue-row.ts';
import { TrackerError } from '../../ports/tracker/tracker.ts';
import { NO_TOKEN_USAGE } from '../no-token-usage.ts';
import { moveIssue } from './move-issue.ts';
import { createRedactor } from '../../observe/redaction/create-redactor.ts';
import { publishIssue } from '../../pull-requests/delivery/publish-issue.ts';

const ANN = { actor: 'ann', source: 'API', path: '/', requestId: 'req_1' } as const;
const URL = 'https://host.example/pull/7';
const LATER_MS = 600_000;

describe('what a person asked for and the world has done', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let ports: TestPorts;
  let deps: Deps;
  /** What was asked of the world, in order. */
  let acts: string[];
  /** Whether the next commit after an act fails, as when the process ends in between. */
  let isCutOff: boolean;
  let answer: () => void;

  beforeEach(async () => {
    database = await createTestDatabase();
    ports = createTestPorts();
    acts = [];
    isCutOff = true;
    answer = () => undefined;
    let failing = false;
    const act = (name: string) => {
      acts.push(name);
      answer();
      failing = isCutOff;
      isCutOff = false;
    };
    const db = new Proxy(database.db, {
      get(target, name) {
        if (name === 'batch' && failing) {
          failing = false;
          return () => Promise.reject(new Error('the disk is gone'));
        }
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const tracker = {
      listStates: async () => ['Todo', 'In Progress', 'Done'],
      stateRoles: () => ({ active: ['Todo'], terminal: ['Done'], started: null }),
      transition: async (_id: string, to: string) => {
        act(`to ${to}`);
        return { before: 'Todo', state: to, updatedAtMs: null };
      },
    };
    const host = {
      serves: () => true,
      openPullRequest: async () => {
        act('open');
        return { url: URL };
      },
    };
    deps = {
      ...ports,
      db,
      trackers: new Map([['local', tracker]]),
      codeHosts: [host],
      connections: {
        connected: async () => new Set(['run_1']),
        call: async () => ({ baseBranch: 'main' }),
      },
      service: { publicOrigin: null },
      redactor: createRedactor(),
      config: { load: async () => defaultConfig() },
      wake: () => undefined,
    } as unknown as Deps;
    await fillRows(database.db);
  });
  afterEach(() => database.close());

  async function runEffects(): Promise<void> {
    ports.clock.advance(LATER_MS);
    const handler = createEffectHandler(deps);
    const skipped: JobHandler = { run: async () => [] };
    const handlerOf = (kind: string) =>
      kind.startsWith('tracker.') && kind !== 'tracker.move' ? skipped : handler;
    await runJobs(deps, { handlerOf, mayGoOn: async () => true });
  }
  const pending = async () =>
    (await database.db.select().from(jobs)).filter(({ status }) => status !== 'done');
  const audited = async () =>
    (await database.db.select().from(audit)).map(({ actor, operation }) => `${actor} ${operation}`);
  const move = () =>
    moveIssue(deps, {
      identifier: 'SY-1',
      caller: ANN,
      to: 'Done',
      reason: 'enough',
      stopRunning: true,
    });
  const publish = () => publishIssue(connectDelivery(deps), { identifier: 'SY-1', caller: ANN });

  it('is recorded after all when the result of a move could not be stored', async () => {
    await expect(move()).rejects.toThrow('the disk is gone');
    expect(acts).toEqual(['to Done']);
    await runEffects();
    expect(acts).toEqual(['to Done', 'to Done']);
    expect(await audited()).toEqual(['ann issue.transition']);
    expect(await database.db.select().from(issues)).toMatchObject([{ state: 'Done' }]);
    expect(await database.db.select().from(transitions)).toMatchObject([
      { from_state: 'Todo', to_state: 'Done', actor: 'ann', reason: 'enough' },
    ]);
    await runEffects();
    expect(acts).toHaveLength(2);
    expect(await pending()).toEqual([]);
  });

  it('is recorded but not done again when somebody has moved the issue on', async () => {
    await expect(move()).rejects.toThrow('the disk is gone');
    await database.db.update(issues).set({ state: 'In Progress' });
    await runEffects();
    expect(acts).toEqual(['to Done']);
    expect(await audited()).toEqual(['ann issue.transition']);
    expect(await database.db.select().from(issues)).toMatchObject([{ state: 'In Progress' }]);
  });

  it('is withdrawn when the person was told that the tracker refuses', async () => {
    answer = () => {
      throw new TrackerError('status', 'not allowed');
    };
    await expect(move()).rejects.toMatchObject({ code: 'upstream_failed' });
    await runEffects();
    expect(acts).toEqual(['to Done']);
    expect(await audited()).toEqual([]);
  });

  it('is recorded once where nothing is cut off', async () => {
    isCutOff = false;
    await move();
    await publish();
    await runEffects();
    expect(acts).toEqual(['to Done', 'open']);
    expect(await audited()).toEqual(['ann issue.transition', 'ann issue.publish']);
  });

  it('is recorded after all when the result of a publish could not be stored', async () => {
    await expect(publish()).rejects.toThrow('the disk is gone');
    expect(await audited()).toEqual([]);
    await runEffects();
    expect(acts).toEqual(['open', 'open']);
    expect(await audited()).toEqual(['ann issue.publish']);
    expect(await database.db.select().from(issues)).toMatchObject([{ pull_request_url: URL }]);
    await runEffects();
    expect(acts).toHaveLength(2);
    expect(await pending()).toEqual([]);
  });

  it('is recorded after all when the result of a repeated delivery could not be stored', async () => {
    await database.db.update(attempts).set({
      failure_kind: 'delivery_refused',
      outcome: 'failed',
      base_branch: 'main',
      base_commit: 'b'.repeat(40),
      commit_sha: 'c'.repeat(40),
    });
    const caller = ANN;
    await expect(
      deliverAgain(connectDelivery(deps), { identifier: 'SY-1', caller }),
    ).rejects.toThrow('the disk');
    expect(await audited()).toEqual([]);
    await runEffects();
    expect(acts).toEqual(['open', 'open']);
    expect(await audited()).toEqual(['ann issue.deliver']);
    expect(await database.db.select().from(issues)).toMatchObject([
      { status: 'completed', pull_request_url: URL },
    ]);
  });
});

async function fillRows(db: Deps['db']): Promise<void> {
  const issue = newIssueRow('local', {
    id: 'iss_1',
    identifier: 'SY-1',
    title: 't',
    description: null,
    priority: null,
    state: 'Todo',
    branchName: null,
    url: null,
    labels: [],
    assigneeId: null,
    blockedBy: [],
    createdAtMs: 1,
    updatedAtMs: 1,
    nativeRef: null,
  });
  await db.insert(issues).values({ ...issue, status: 'blocked', current_attempt_id: 'att_1' });
  await db.insert(attempts).values({
    attempt_id: 'att_1',
    tracker: 'local',
    issue_id: 'iss_1',
    identifier: 'SY-1',
    issue_state: 'Todo',
    number: 1,
    status: 'failed',
    epoch: 3,
    branch: 'switchyard/sy-1',

    runner_id: 'run_1',
    digest: '',
    spec: { repository: {}, issue: { identifier: 'SY-1' } } as never,
    tokens: NO_TOKEN_USAGE,
    queued_at_ms: 1,
    started_at_ms: 2,
    ended_at_ms: 3,
    repository_url: 'file:///r',
  });
  await db.insert(checkpoints).values({
    checkpoint_id: 'chk_1',
    attempt_id: 'att_1',
    tracker: 'local',
    issue_id: 'iss_1',
    epoch: 3,
    ordinal: 1,
    trigger: 'turn_end' as never,
    event_seq: 1,
    commit_sha: 'c'.repeat(40),
    base_commit: 'b'.repeat(40),
    tokens: NO_TOKEN_USAGE,
    created_at_ms: 2,
  });
  await db.insert(runners).values({
    runner_id: 'run_1',
    name: 'r',
    signing_key: {},
    sealing_key: {},
    allowed_labels: [],
    labels: [],
    version: '1',
    warnings: [],
    joined_at_ms: 1,
  });
}
