import { shownRequest } from '../../attempts/requests/queries.ts';
import type {
  IssueGroup,
  IssueList,
  ListedIssue,
  OpenReview,
} from '@switchyard/shared/api/work/issue-list';
import { briefIssue } from '@switchyard/shared/api/work/issue';
import { groupBy } from '@switchyard/shared/group-by';
import { GROUP_STATUSES, needsOf, STOPPED_STATUSES } from '@switchyard/shared/reasons/needs-of';
import {
  and,
  asc,
  count,
  countDistinct,
  desc,
  eq,
  getTableColumns,
  inArray,
  isNotNull,
  isNull,
  notInArray,
  or,
  sql,
} from 'drizzle-orm';
import { requestRecord } from '../../attempts/requests/request-record.ts';
import type { Database } from '../../db/database.ts';
import { attempts } from '../../db/schema/work/attempts.ts';
import { type IssueRow, issues } from '../../db/schema/work/issues.ts';
import { pullRequests } from '../../db/schema/work/pull-requests.ts';
import { requests } from '../../db/schema/work/requests.ts';
import type { EffectiveConfig } from '../../config/schema/config-schema.ts';
import type { Deps } from '../../deps.ts';
import { pageOf } from '../../ports/code-host/pull-request-record.ts';
import { issueRecord } from '../issue-record.ts';
import { briefColumns } from '../queries.ts';
import { isInSight, isOutOfSight } from '../../ports/tracker/out-of-sight.ts';
import { isEnded, needsPerson, type Trackers } from './needs-person.ts';

type Page = { limit: number; offset: number; group: IssueGroup | undefined };
type ListDeps = Pick<Deps, 'db'> & {
  trackers: Trackers;
  service: Pick<Deps['service'], 'publicOrigin'>;
  config: { load(): Promise<{ agent: SlotCaps }> };
};
type SlotCaps = Pick<EffectiveConfig['agent'], 'maxConcurrentAgentsByState'>;

/** `isInGroup` as an SQL condition, in addition to the condition on the status. */
const isGrouped = or(notInArray(issues.status, [...STOPPED_STATUSES]), isInSight);

/** A page of the issues of one group, or of all groups, with the number of issues in each group. */
export async function listIssues(deps: ListDeps, page: Page): Promise<IssueList> {
  const { db, trackers } = deps;
  const { agent } = await deps.config.load();
  const needing = needsPerson(trackers);
  const [rows, all, byStatus, byPerson, slots] = await db.batch([
    page.group === 'person' ? neediest(deps, page) : newest(deps, page),
    db.select({ total: count() }).from(issues),
    db
      .select({ status: issues.status, total: count() })
      .from(issues)
      .where(isGrouped)
      .groupBy(issues.status),
    db.select({ total: sql<number>`count(distinct issue_row)` }).from(sql`(${needing}) as needing`),
    db
      .select({
        held: count(),
        asking: sql<number>`coalesce(sum(${isAsking}), 0)`,
        runners: countDistinct(attempts.runner_id),
      })
      .from(attempts)
      .where(
        and(
          inArray(attempts.status, ['queued', 'running']),
          isNotNull(attempts.runner_id),
          isNull(attempts.released_at_ms),
        ),
      ),
  ]);
  const inStatus = (statuses: readonly string[]) =>
    byStatus.reduce((sum, { status, total }) => sum + (statuses.includes(status) ? total : 0), 0);
  const counts = {
    person: byPerson[0]?.total ?? 0,
    running: inStatus(GROUP_STATUSES.running),
    waiting: inStatus(GROUP_STATUSES.waiting),
    blocked: inStatus(GROUP_STATUSES.blocked),
    failed: inStatus(GROUP_STATUSES.failed),
  };
  const { held, asking, runners } = slots[0] ?? { held: 0, asking: 0, runners: 0 };
  // With limits by state, or several runners, an answered question may not free the slot that is
  // needed.
  const isOneAsGoodAsOther =
    held === 1 || (runners === 1 && Object.keys(agent.maxConcurrentAgentsByState).length === 0);
  return {
    issues: await withNeeds(deps, rows),
    total: page.group === undefined ? (all[0]?.total ?? 0) : counts[page.group],
    counts,
    slotsAwaitAnswers: held > 0 && asking === held && isOneAsGoodAsOther,
  };
}

const isAsking = sql`exists (select 1 from ${requests}
  where ${requests.attempt_id} = ${attempts.attempt_id} and ${requests.state} = 'asked')`;

type ListedRow = IssueRow & { isEnded: number };

function listedColumns(trackers: Trackers) {
  return { ...briefColumns, isEnded: isEnded(trackers).as('is_ended') };
}

/** Lists each issue once, by its most urgent need for a person. */
function neediest({ db, trackers }: ListDeps, { limit, offset }: Page) {
  return db
    .select(listedColumns(trackers))
    .from(
      sql`(select issue_row, min(place) as place from (${needsPerson(trackers)}) group by issue_row
        order by min(place), issue_row limit ${limit} offset ${offset}) as needing`,
    )
    .innerJoin(issues, sql`${issues}.rowid = issue_row`)
    .orderBy(sql`place, issue_row`);
}

function newest({ db, trackers }: ListDeps, { limit, offset, group }: Page) {
  const statuses = group === undefined || group === 'person' ? null : GROUP_STATUSES[group];
  return db
    .select(listedColumns(trackers))
    .from(issues)
    .where(statuses === null ? undefined : and(inArray(issues.status, [...statuses]), isGrouped))
    .orderBy(desc(issues.updated_at_ms), asc(issues.identifier))
    .limit(limit)
    .offset(offset);
}

/** The issues as the API shows them, each with what it needs from a person. */
async function withNeeds(deps: ListDeps, rows: readonly ListedRow[]): Promise<ListedIssue[]> {
  const { publicOrigin } = deps.service;
  const [asked, open] = await deps.db.batch([
    openQuestions(deps.db, rows),
    openPullRequests(deps.db, rows),
  ]);
  const questions = groupBy(asked, keyOf);
  const names = new Map(rows.map((row) => [row.identifier, keyOf(row)]));
  const pulls = groupBy(open, (pull) => keyOf(pull) ?? names.get(pull.identifier));
  return rows.map((row) => {
    const requested = questions.get(keyOf(row)) ?? [];
    const opened = pulls.get(keyOf(row)) ?? [];
    const needs = needsOf({
      status: row.status,
      reasonCode: row.reason_code,
      openQuestions: requested.length,
      openPullRequests: opened.length,
      isEnded: row.isEnded !== 0,
      isOutOfSight: isOutOfSight(row),
    });
    return {
      ...briefIssue(issueRecord(row, publicOrigin)),
      needs,
      requests: requested.map(({ request }) => requestRecord(request)),
      reviews: needs.includes('review') ? opened.map((pull) => reviewOf(pull, publicOrigin)) : [],
    };
  });
}

/** Key of an issue; null for a row without one, such as a pull request of an unknown attempt. */
function keyOf({ tracker, id }: { tracker: string | null; id: string | null }): string | null {
  return tracker === null || id === null ? null : `${tracker}\n${id}`;
}

const OF_ATTEMPT = { tracker: attempts.tracker, id: attempts.issue_id };

function openQuestions(db: Database, rows: readonly IssueRow[]) {
  const ids = rows.map(({ id }) => id);
  return db
    .select({ ...OF_ATTEMPT, request: shownRequest })
    .from(requests)
    .innerJoin(attempts, eq(attempts.attempt_id, requests.attempt_id))
    .where(and(eq(requests.state, 'asked'), inArray(attempts.issue_id, ids)))
    .orderBy(asc(requests.asked_at_ms), asc(requests.request_id));
}

const {
  id: pullRequestId,
  number,
  title,
  url,
  draft,
  created_at_ms,
} = getTableColumns(pullRequests);

function openPullRequests(db: Database, rows: readonly IssueRow[]) {
  const ids = rows.map(({ id }) => id);
  const names = rows.map(({ identifier }) => identifier);
  const name = pullRequests.issue_identifier;
  return db
    .select({
      ...OF_ATTEMPT,
      identifier: name,
      pullRequestId,
      number,
      title,
      url,
      draft,
      created_at_ms,
    })
    .from(pullRequests)
    .leftJoin(attempts, eq(attempts.attempt_id, pullRequests.attempt_id))
    .where(
      and(
        sql`${pullRequests.status} = 'open'`,
        or(inArray(attempts.issue_id, ids), and(isNull(attempts.attempt_id), inArray(name, names))),
      ),
    )
    .orderBy(desc(pullRequests.created_at_ms), desc(pullRequestId));
}

type Pull = Awaited<ReturnType<typeof openPullRequests>>[number];

function reviewOf(pull: Pull, publicOrigin: string | null): OpenReview {
  return {
    id: pull.pullRequestId,
    number: pull.number,
    title: pull.title,
    draft: pull.draft,
    url: pull.url ?? pageOf({ publicOrigin: () => publicOrigin }, pull.pullRequestId),
    createdAt: new Date(pull.created_at_ms).toISOString(),
  };
}
