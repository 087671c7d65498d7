import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '@libsql/client';
import { drizzle } from 'drizzle-orm/libsql';
import { migrate } from 'drizzle-orm/libsql/migrator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { historyPage } from '../../control-plane/src/people/alerts/queries.ts';
import {
  issueFingerprintRow,
  issueWithAttempts,
  lastCompletedAtMs,
} from '../../control-plane/src/attempts/queries.ts';
import { defaultConfig } from '../../control-plane/src/config/schema/config-schema.ts';
import { auditPage } from '../../control-plane/src/observe/audit/chain/queries.ts';
import { runPage } from '../../control-plane/src/people/automations/queries.ts';
import type { Database } from '../../control-plane/src/db/database.ts';
import {
  attemptEvents,
  eventsAfter,
  firstEventSeq,
  recentAttemptEvents,
} from '../../control-plane/src/observe/events/queries.ts';
import {
  issuesByIdentifiers,
  issuesByStatus,
  recentIssues,
  transitionPage,
} from '../../control-plane/src/issues/queries.ts';
import { listIssues } from '../../control-plane/src/issues/list/list-issues.ts';
import { notificationPage } from '../../control-plane/src/notifications/queries.ts';
import { sweepRetention } from '../../control-plane/src/coordinator/sweep-retention.ts';
import { issuePullRequest } from '../../control-plane/src/issues/issue-pull-request.ts';
import { otherHolder } from '../../control-plane/src/attempts/identity/branch-of-issue.ts';
import { keyOfIssue } from '../../control-plane/src/attempts/identity/key-of-issue.ts';
import { ownCommits } from '../../control-plane/src/attempts/identity/own-commits.ts';
import { localIssuePage } from '../../control-plane/src/integrations/local/tracker/queries.ts';
import { deadPage, dueDeliveries } from '../../control-plane/src/inbox/queries.ts';
import { createTestPorts } from '../support/test-ports.ts';

const NO_ROLES = { active: [], started: null, review: null, blocked: null };

type Sent = { sql: string; args: unknown };

// A database without statistics, as every service's is: the plan depends on schema and text alone.
describe('lists of tables that grow', () => {
  let folder: string;
  let client: Client;
  let db: Database;
  const sent: Sent[] = [];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'switchyard-plans-'));
    client = createClient({ url: `file:${join(folder, 'test.db')}` });
    await migrate(drizzle(client), {
      migrationsFolder: join(import.meta.dirname, '../../migrations'),
    });
    const { execute, batch } = client;
    client.execute = ((statement: Sent) => {
      sent.push(statement);
      return execute.call(client, statement as never);
    }) as Client['execute'];
    client.batch = ((statements: Sent[]) => {
      sent.push(...statements);
      return batch.call(client, statements as never, 'write');
    }) as Client['batch'];
    db = drizzle(client);
  });
  afterAll(async () => {
    client.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Steps of the plans of all statements that the work sends. */
  async function plansOf(
    work: () => Promise<unknown>,
  ): Promise<{ sql: string; steps: string[] }[]> {
    sent.length = 0;
    await work();
    const statements = sent.splice(0);
    const plans = [];
    for (const { sql, args } of statements) {
      const plan = await client.execute({ sql: `explain query plan ${sql}`, args: args as never });
      plans.push({ sql, steps: plan.rows.map((row) => row['detail'] as string) });
    }
    return plans;
  }

  const after = { atMs: 1, id: 'x' };
  const page = { limit: 50, offset: 0 };
  const lists: [string, () => Promise<unknown>][] = [
    ['notifications', () => notificationPage(db, { limit: 50, unread: false, after })],
    ['unread notifications', () => notificationPage(db, { limit: 50, unread: true, after: null })],
    ['alert history', () => historyPage(db, { limit: 50, ruleName: undefined, after })],
    ['alert history of a rule', () => historyPage(db, { limit: 50, ruleName: 'a', after })],
    ['automation runs', () => runPage(db, { limit: 50, name: undefined, after })],
    ['automation runs of one', () => runPage(db, { limit: 50, name: 'a', after })],
    ['audit', () => auditPage(db, page)],
    ['transitions', () => transitionPage(db, { identifier: null, limit: 50, before: 9 })],
    [
      'transitions of an issue',
      () => transitionPage(db, { identifier: 'A-1', limit: 50, before: 9 }),
    ],
    ['local issues', () => localIssuePage(db, { state: undefined, ...page })],
    ['issues that changed last', () => recentIssues(db, 50)],
    ['dead letters', () => deadPage(db, { limit: 50, before: 9, provider: null })],
    ['dead letters of one', () => deadPage(db, { limit: 50, before: null, provider: 'tracker' })],
    ['deliveries that are due', () => dueDeliveries(db, 9, 32)],
    ['issues of a status', () => issuesByStatus(db, ['failed'], 200)],
    ['an issue', () => issueWithAttempts(db, 'SY-1', 100)],
    ['an issue, for its tag', () => issueFingerprintRow(db, 'SY-1')],
    ['the first event', () => firstEventSeq(db)],
  ];
  it.each(lists)('%s are read by an index, in its order', async (_name, list) => {
    for (const { sql, steps } of await plansOf(list)) {
      const isCount = sql.startsWith('select count(');
      const slow = steps.filter(
        (step) =>
          /USE TEMP B-TREE FOR ORDER BY/.test(step) ||
          // In the order that is asked for, a scan ends at the limit.
          (/^SCAN (?!.*USING)/.test(step) &&
            !isCount &&
            !/ limit /.test(sql) &&
            !step.includes('(')),
      );
      expect({ sql, slow }).toEqual({ sql, slow: [] });
    }
  });

  const issue = { tracker: 'local', id: 'iss_1', identifier: 'SY-1', workspace_key: null };
  const pullRequestOf = (identifier: string) =>
    issuePullRequest({ db, service: { publicOrigin: 'http://localhost' } }, { identifier }).catch(
      () => null,
    );
  it.each([
    ['whose a branch is', () => otherHolder(db, issue, { branch: 'a', repositoryUrl: 'b' })],
    ['whose a workspace key is', () => keyOfIssue(db, { ...issue, native_ref: null })],
    ['what an issue has made', () => ownCommits(db, issue, null)],
    ['its pull request', () => pullRequestOf('SY-1')],
    ['who has names', () => issuesByIdentifiers(db, ['SY-1', 'SY-2'])],
  ])('%s is found by an index', async (_name, look) => {
    for (const { steps } of await plansOf(look))
      expect(steps.filter((step) => step.startsWith('SCAN'))).toEqual([]);
  });

  it('issues that need a person are found by indexes, however many others there are', async () => {
    const stateRoles = () => ({ ...NO_ROLES, terminal: ['Done'] });
    const config = { load: () => Promise.resolve(defaultConfig()) };
    const trackers = new Map([['local', { stateRoles }]]);
    const deps = { db, config, trackers, service: { publicOrigin: null } };
    const plans = await plansOf(() => listIssues(deps, { limit: 50, offset: 0, group: 'person' }));
    const needing = plans.filter(({ sql }) => sql.includes('issue_row'));
    expect(needing).toHaveLength(2);
    for (const { steps } of needing)
      expect(
        steps.filter((step) => /^SCAN (issues|requests|attempts)|^SCAN pull_requests$/.test(step)),
      ).toEqual([]);
    expect(needing.flatMap(({ steps }) => steps).join()).toContain('pull_requests_open');
  });

  it('the newest work that a model completed is found by an index of its own', async () => {
    const plans = await plansOf(() => lastCompletedAtMs(db));
    expect(plans.map(({ steps }) => steps)).toEqual([
      ['SEARCH attempts USING INDEX attempts_completed'],
    ]);
  });

  it('events are found by their number; only the lengths of one page are sorted', async () => {
    for (const { steps } of await plansOf(() => eventsAfter(db, 5))) {
      expect(steps.filter((step) => step.startsWith('SCAN event_chunks'))).toEqual([]);
      const found = steps.filter((step) => step.startsWith('SEARCH event_chunks'));
      expect(found.length).toBeGreaterThan(1);
      for (const step of found) expect(step).toContain('USING INTEGER PRIMARY KEY');
    }
  });

  it.each([
    ['recent', () => recentAttemptEvents(db, 'att_1', 50)],
    ['page by page', () => attemptEvents(db, { attemptId: 'att_1', afterSeq: 5, limit: 50 })],
  ])("an attempt's events, %s, are found by their index", async (_name, list) => {
    for (const { steps } of await plansOf(list)) {
      expect(steps.filter((step) => step.startsWith('SCAN event_chunks'))).toEqual([]);
    }
  });

  it('old events are looked for at the beginning only', async () => {
    const ports = createTestPorts();
    const retention = { eventsDays: 30, blobsDays: 30, deliveriesDays: 30, historyDays: 90 };
    const plans = await plansOf(() => sweepRetention({ db, clock: ports.clock }, retention));
    const events = plans.find(({ sql }) => sql.includes('delete from "event_chunks"'));
    expect(events?.sql).toMatch(/order by first_seq limit/);
    const byIndex = plans.filter(({ sql }) => /delete from "(jobs|webhook_deliveries)"/.test(sql));
    expect(byIndex).toHaveLength(3);
    for (const { sql, steps } of byIndex) {
      expect({ sql, scans: steps.filter((step) => step.startsWith('SCAN')) }).toEqual({
        sql,
        scans: [],
      });
    }
  });

  it.each(['attempt_artifacts', 'blobs'])(
    'old %s are found without reading the rest',
    async (table) => {
      const ports = createTestPorts();
      const retention = { eventsDays: 30, blobsDays: 30, deliveriesDays: 30, historyDays: 90 };
      const plans = await plansOf(() => sweepRetention({ db, clock: ports.clock }, retention));
      const ofTable = plans.filter(({ sql }) =>
        new RegExp(`(delete from|update) "${table}"`).test(sql),
      );
      expect(ofTable).toHaveLength(2);
      for (const { steps } of ofTable) expect(steps).not.toContain(`SCAN ${table}`);
    },
  );
});
