import { IssueStatus } from '@switchyard/shared/api/work/issue';
import { type IssueGroup, IssueList, type IssueNeed } from '@switchyard/shared/api/work/issue-list';
import type { ReasonCode } from '@switchyard/shared/api/work/reason-code';
import { isInGroup, needsOf } from '@switchyard/shared/reasons/needs-of';
import { eq, sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { issueFingerprint } from '../../control-plane/src/attempts/issue-fingerprint.ts';
import { attempts } from '../../control-plane/src/db/schema/work/attempts.ts';
import { issues } from '../../control-plane/src/db/schema/work/issues.ts';
import { pullRequests } from '../../control-plane/src/db/schema/work/pull-requests.ts';
import { requests } from '../../control-plane/src/db/schema/work/requests.ts';
import { isOutOfSight } from '../../control-plane/src/ports/tracker/out-of-sight.ts';
import { newIssueRow } from '../../control-plane/src/ports/tracker/issue-row.ts';
import { pauseService } from '../../control-plane/src/issues/pause/pause-service.ts';
import { type CoreWorld, PERSON } from '../support/core/core-world.ts';
import { callCore } from '../support/core/call-core.ts';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';
import { addRunner, sceneWithLease } from './runner-protocol/scene.ts';

const make = useCoreWorlds();
const PAGE = 50;

const QUESTION = { id: 'q', header: '', question: 'Which?', options: [], isSecret: false };
const ASKED = { requestId: 'r1', turnId: 't1', questions: [QUESTION] };

async function list(world: CoreWorld, query = ''): Promise<IssueList> {
  const { status, body } = await callCore(world, 'GET', `/api/v1/issues?limit=${PAGE}${query}`);
  expect(status).toBe(200);
  return IssueList.parse(body);
}

/** Every row that a group's pages show, and what its first page says of it. */
async function all(world: CoreWorld, group: IssueGroup) {
  const first = await list(world, `&group=${group}`);
  const rows = [...first.issues];
  while (rows.length < first.total) {
    const page = await list(world, `&group=${group}&offset=${rows.length}`);
    if (page.issues.length === 0) break;
    rows.push(...page.issues);
  }
  return { total: first.total, counts: first.counts, rows };
}

const CODES: (ReasonCode | null)[] = [null, 'slots_full', 'repository_missing', 'feedback_limit'];
const PULLS = [[], ['open'], ['merged', 'closed'], ['open', 'open', 'merged']] as const;
const STATES = [[], ['asked'], ['answered', 'expired', 'resumed'], ['asked', 'asked']] as const;

/** One issue of every kind: each status with each reason, questions and pull requests. */
async function fill(world: CoreWorld, attemptId: string): Promise<Map<string, IssueNeed[]>> {
  const { db } = world.deps;
  const attempt = await world.attempt(attemptId);
  const expected = new Map<string, IssueNeed[]>();
  const rows: (typeof issues.$inferInsert)[] = [];
  const worked: (typeof attempts.$inferInsert)[] = [];
  const asked: (typeof requests.$inferInsert)[] = [];
  const opened: (typeof pullRequests.$inferInsert)[] = [];
  let number = 1_000;
  for (const status of IssueStatus.options)
    for (const code of CODES)
      for (const states of STATES)
        for (const pulls of PULLS) {
          // Names of states are compared without case.
          const state = number % 5 === 0 ? 'DONE' : 'Todo';
          const isGone = number % 7 === 0;
          const id = `id-${(number += 1)}`;
          const identifier = `SY-${number}`;
          const times = { createdAtMs: number, updatedAtMs: number };
          const base = newIssueRow('local', {
            id,
            identifier,
            title: identifier,
            description: null,
            priority: null,
            state,
            branchName: null,
            url: null,
            labels: [],
            assigneeId: null,

            blockedBy: [],
            nativeRef: null,
            unroutable: isGone ? 'tracker_gone' : null,
            ...times,
          });
          const mine = `att_${number}`;
          // Its attempt is not always known, and was called otherwise then.
          const isKnown = number % 3 !== 0 || states.length > 0;
          rows.push({ ...base, status, reason_code: code, current_attempt_id: mine });
          const of = { attempt_id: mine, tracker: 'local', issue_id: id, number: 1 };
          if (isKnown) worked.push({ ...attempt, ...of, identifier: `OLD-${number}` });
          for (const [index, state] of states.entries())
            asked.push({
              request_id: `req_${number}_${index}`,
              attempt_id: mine,
              epoch: 1,
              state,
              identifier,
              engine_request_id: `${index}`,
              questions: [],
              asked_at_ms: number,
              expires_at_ms: number + 1,
            });
          for (const [index, pull] of pulls.entries())
            opened.push({
              id: `pr_${number}_${index}`,
              number,
              code_host: 'elsewhere',
              branch: 'b',
              repository_url: 'r',
              base: 'main',
              base_commit: 'a',
              commit_sha: 'b',
              title: 't',
              body: 'b',
              draft: false,
              status: pull,
              attempt_id: mine,
              diff_stat: { files: 0, insertions: 0, deletions: 0 },
              issue_identifier: isKnown ? `OLD-${number}` : identifier,
              created_at_ms: number,
              updated_at_ms: number,
            });
          const isOpen = (each: string) => each === 'open' || each === 'asked';
          const needs = needsOf({
            status,
            reasonCode: code,
            openQuestions: states.filter(isOpen).length,
            openPullRequests: pulls.filter(isOpen).length,
            isEnded: state === 'DONE',
            isOutOfSight: isGone,
          });
          if (needs.length > 0) expected.set(identifier, needs);
        }
  for (const row of rows) await db.insert(issues).values(row);
  for (const row of worked) await db.insert(attempts).values({ ...row, status: 'completed' });
  for (const row of asked) await db.insert(requests).values(row);
  for (const row of opened) await db.insert(pullRequests).values(row);
  return expected;
}

describe('GET /api/v1/issues', () => {
  it('lists as many as it counts: the issues that need a person, and every other group', async () => {
    const { world, lease } = await sceneWithLease(make);
    const expected = await fill(world, lease.attemptId);
    const person = await all(world, 'person');
    expect(new Map(person.rows.map(({ identifier, needs }) => [identifier, needs]))).toEqual(
      expected,
    );
    expect(person.rows).toHaveLength(expected.size);
    expect(person.total).toBe(expected.size);
    const stored = await world.deps.db.select().from(issues);
    for (const group of ['running', 'waiting', 'blocked', 'failed'] as const) {
      const { total, counts, rows } = await all(world, group);
      const isOf = (row: (typeof stored)[number]) =>
        isInGroup(group, { status: row.status, isOutOfSight: isOutOfSight(row) });
      const inGroup = stored.filter(isOf).length;
      const identifiers = new Set(rows.map(({ identifier }) => identifier));
      expect({ group, total, count: counts[group], rows: identifiers.size }).toEqual({
        group,
        total: inGroup,
        count: inGroup,
        rows: inGroup,
      });
      expect(counts.person).toBe(expected.size);
      // A row says the same of its issue in whichever list it stands.
      for (const { identifier, needs } of rows)
        expect({ identifier, needs }).toEqual({
          identifier,
          needs: expected.get(identifier) ?? [],
        });
    }
  });

  it('has questions first, the oldest of them first, then what has stopped, then reviews', async () => {
    const { world, lease } = await sceneWithLease(make);
    await fill(world, lease.attemptId);
    const { rows } = await all(world, 'person');
    const order = ['question', 'stopped', 'start', 'review'];
    const ranks = rows.map(({ needs }) => order.indexOf(needs[0] ?? ''));
    expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
    const askedAt = rows.flatMap(({ requests: [first] }) => first?.askedAt ?? []);
    expect(askedAt).toEqual(askedAt.toSorted());
  });

  it('has the question itself, until the attempt that asked it has ended', async () => {
    const { world, lease, runner, identifier } = await sceneWithLease(make);
    await runner.events(lease, { kind: 'request', payload: ASKED });
    const asked = await list(world, '&group=person');
    expect(asked).toMatchObject({ total: 1, issues: [{ identifier, needs: ['question'] }] });
    expect(asked.issues[0]?.requests[0]?.questions[0]?.question).toBe('Which?');
    // What an agent asked whose attempt has ended is asked no more.
    await runner.finish(lease, { outcome: 'failed', failureKind: 'agent_error', message: 'no' });
    expect(await list(world, '&group=person')).toMatchObject({ total: 0 });
  });

  it('counts while the service is paused what stays when it goes on', async () => {
    const world = await make();
    await addRunner(world);
    const blocked = await world.createIssue();
    const waiting = await world.createIssue();
    await pauseService(world.deps, { reason: 'release', stopRunning: false, caller: PERSON });
    await world.tick();
    await world.deps.db
      .update(issues)
      .set({ status: 'blocked', reason_code: 'agent_blocked' })
      .where(eq(issues.identifier, blocked));
    const { counts } = await list(world);
    expect(counts).toMatchObject({ person: 1, blocked: 1 });
    expect((await world.issue(waiting)).reason_code).toBe('service_paused');
  });

  it.each([
    ['blocked', 'agent_blocked'],
    ['failed', 'agent_error'],
    ['completed', 'feedback_limit'],
  ] as const)('needs nobody for an issue that is %s and done in the tracker', async (...of) => {
    const [status, code] = of;
    const world = await make();
    const identifier = await world.createIssue();
    await world.tick();
    const parked = issueFingerprint(await world.issue(identifier));
    const stopped = { status, reason_code: code, reason: 'why', parked_fingerprint: parked };
    await world.deps.db.update(issues).set(stopped);
    expect(await list(world)).toMatchObject({ counts: { person: 1 } });
    await world.editIssue(identifier, { state: 'Done' });
    await world.pass(60_000);
    expect(await list(world)).toMatchObject({ counts: { person: 0 } });
    expect(await world.issue(identifier)).toMatchObject({
      status,
      state: 'Done',
      reason_code: code,
      reason: 'why',
    });
    // Moved back, it is worked on again.
    await world.editIssue(identifier, { state: 'Todo' });
    await world.pass(60_000);
    expect((await world.issue(identifier)).status).toBe('queued');
  });

  it('says when each slot is held by an agent that waits for an answer', async () => {
    const { world, lease, runner } = await sceneWithLease(make);
    const waiting = await world.createIssue();
    await world.tick();
    expect((await world.issue(waiting)).reason_code).toBe('slots_full');
    expect(await list(world)).toMatchObject({ slotsAwaitAnswers: false });
    await runner.events(lease, { kind: 'request', payload: ASKED });
    expect(await list(world)).toMatchObject({ slotsAwaitAnswers: true });
    await world.deps.db.run(sql`update requests set state = 'answered'`);
    expect(await list(world)).toMatchObject({ slotsAwaitAnswers: false });
  });

  it('names no answer where another slot than the one that it frees may be wanted', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    await runner.events(lease, { kind: 'request', payload: ASKED });
    expect(await list(world)).toMatchObject({ slotsAwaitAnswers: true });
    const held = await world.attempt(lease.attemptId);
    const addHeld = async (attemptId: string, runnerId: string | null) => {
      const other = { ...held, attempt_id: attemptId, issue_id: attemptId, runner_id: runnerId };
      await world.deps.db.insert(attempts).values(other);
      await world.deps.db.insert(requests).values({
        request_id: `req_${attemptId}`,
        attempt_id: attemptId,
        epoch: 1,
        state: 'asked',
        identifier: 'SY-9',
        engine_request_id: 'q',
        questions: [],
        asked_at_ms: 1,
        expires_at_ms: 2,
      });
    };
    // One that waits for a runner holds no slot.
    await world.deps.db
      .insert(attempts)
      .values({ ...held, attempt_id: 'w', issue_id: 'w', status: 'queued', runner_id: null });
    await addHeld('same', held.runner_id);
    expect(await list(world)).toMatchObject({ slotsAwaitAnswers: true });
    await addHeld('other', 'run_of_another_kind');
    expect(await list(world)).toMatchObject({ slotsAwaitAnswers: false });
    await world.deps.db.delete(requests).where(eq(requests.attempt_id, 'other'));
    await world.deps.db.delete(attempts).where(eq(attempts.attempt_id, 'other'));
    await world.restart({ SERVICE_CONFIG__agent__maxConcurrentAgentsByState: '{"todo":1}' });
    expect(await list(world)).toMatchObject({ slotsAwaitAnswers: false });
  });

  it('refuses a group that is none', async () => {
    const world = await make();
    const { status } = await callCore(world, 'GET', '/api/v1/issues?group=others');
    expect(status).toBe(400);
  });
});
