import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase } from '../../../../test/support/test-database.ts';
import { createTestPorts } from '../../../../test/support/test-ports.ts';
import { attempts } from '../../db/schema/work/attempts.ts';
import { audit } from '../../db/schema/operation/audit.ts';
import { issues } from '../../db/schema/work/issues.ts';
import type { Deps } from '../../deps.ts';
import type { SeenMove } from '../../ports/tracker/tracker.ts';
import { newIssueRow } from '../../ports/tracker/issue-row.ts';
import { moveIssue } from './move-issue.ts';
import { NO_TOKEN_USAGE } from '../no-token-usage.ts';

const ROLES = {
  active: ['Todo', 'In Progress'],
  terminal: ['Done'],
  started: 'In Progress',
  review: null,
  blocked: null,
};

describe('a move of an issue that an agent works on', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let moved: string[];
  let answer: (to: string) => SeenMove | Promise<SeenMove>;
  let move: (to: string, options?: { stopRunning: boolean }) => Promise<unknown>;
  beforeEach(async () => {
    database = await createTestDatabase();
    moved = [];
    answer = (to) => ({ before: 'Todo', state: to, updatedAtMs: null });
    const tracker = {
      listStates: async () => ['Todo', 'In Progress', 'Done', 'Backlog'],
      stateRoles: () => ROLES,
      transition: async (_id: string, to: string) => {
        moved.push(to);
        return answer(to);
      },
    };
    const deps = {
      ...createTestPorts(),
      db: database.db,
      trackers: new Map([['local', tracker]]),
      wake: () => undefined,
    } as unknown as Deps;
    const caller = { actor: 'ann', source: 'API', path: '/', requestId: null } as const;
    move = (to, { stopRunning } = { stopRunning: false }) =>
      moveIssue(deps, { identifier: 'SY-1', caller, to, reason: null, stopRunning });
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
    await database.db
      .insert(issues)
      .values({ ...issue, status: 'running', current_attempt_id: 'att_1' });
    await database.db.insert(attempts).values({
      attempt_id: 'att_1',
      tracker: 'local',
      issue_id: 'iss_1',
      identifier: 'SY-1',
      issue_state: 'Todo',
      number: 1,
      status: 'running',
      phase: 'streaming',
      epoch: 3,
      runner_id: 'run_1',
      digest: '',
      spec: {} as never,
      tokens: NO_TOKEN_USAGE,
      queued_at_ms: 1,
      started_at_ms: 2,
      repository_url: 'file:///r',
    });
  });
  afterEach(() => database.close());

  const refused = { code: 'conflict', reason: 'stops_run' };

  it.each(['done', 'Backlog'])('is not made to %s when it may not stop the run', async (to) => {
    await expect(move(to)).rejects.toMatchObject(refused);
    expect(moved).toEqual([]);
    expect(await database.db.select().from(audit)).toEqual([]);
    await move(to, { stopRunning: true });
    expect(moved).toHaveLength(1);
  });

  it('goes by the run, whatever the issue is said to be', async () => {
    await database.db.update(attempts).set({ status: 'queued', phase: 'offered' });
    await database.db.update(issues).set({ status: 'queued' });
    await expect(move('Done')).rejects.toMatchObject(refused);
  });

  it('is not made to Done without a question while it delivers', async () => {
    await database.db.update(attempts).set({ phase: 'delivering' });
    await expect(move('Done')).rejects.toMatchObject(refused);
    expect(moved).toEqual([]);
  });

  it.each([
    ['to a state of work', 'In Progress', { phase: 'streaming' }],
    ['while it delivers, to where review may be', 'Backlog', { phase: 'delivering' }],
    ['while it is being stopped', 'Done', { cancel_requested_at_ms: 5 }],
    ['once it has ended', 'Done', { status: 'failed', phase: null }],
  ] as const)('is made without a question %s', async (_when, to, attempt) => {
    await database.db.update(attempts).set(attempt);
    await move(to);
    expect(moved).toEqual([to]);
  });

  describe('once the run has ended', () => {
    beforeEach(async () => {
      await database.db.update(attempts).set({ status: 'completed', phase: null });
      await database.db.update(issues).set({ status: 'completed', tracker_starts_ms: [1, 2, 3] });
    });
    const row = async () => (await database.db.select().from(issues))[0];

    it('is a word for work to go on, also where a look at the tracker sees it first', async () => {
      answer = async (to) => {
        expect(await row()).toMatchObject({ tracker_starts_ms: null });
        await database.db.update(issues).set({ state: to, tracker_starts_ms: [4] });
        return { before: 'Todo', state: to, updatedAtMs: null };
      };
      await move('In Progress');
      expect(await row()).toMatchObject({ state: 'In Progress', tracker_starts_ms: [4] });
      expect(await database.db.select().from(audit)).toHaveLength(1);
    });

    it('is refused where somebody else was faster, whatever was known here', async () => {
      await database.db.update(issues).set({ state: 'In Progress' });
      answer = () => ({ before: 'Backlog', state: 'Todo', updatedAtMs: null });
      const faster = { code: 'conflict', message: expect.stringContaining('to Todo meanwhile') };
      await expect(move('Done')).rejects.toMatchObject(faster);
      answer = () => ({ before: 'Backlog', state: 'Backlog', updatedAtMs: null });
      const words = expect.stringContaining('took the move to Done and still shows Backlog');
      await expect(move('Done')).rejects.toMatchObject({ message: words });
      expect(await row()).toMatchObject({ state: 'In Progress' });
      expect(await database.db.select().from(audit)).toEqual([]);
    });
  });
});
