import { and, not, type SQL, sql } from 'drizzle-orm';
import type { CreateLocalIssue } from '@switchyard/shared/api/work/local-issue';
import { cutText } from '@switchyard/shared/text/cut-text';
import { someCauseSays } from '@switchyard/shared/causes-of';
import { commitChange } from '../../../observe/events/commit-change.ts';
import { issueEvent } from '../../../issues/rows/issue-event.ts';
import { storeTrackerIssue } from '../../../issues/rows/store-tracker-issue.ts';
import type { Caller } from '../../../http/caller/caller.ts';
import { issues } from '../../../db/schema/work/issues.ts';
import { type LocalIssueRow, localIssues } from '../../../db/schema/work/local-issues.ts';
import { AppError } from '../../../errors.ts';
import type { SubIssuePlan, TrackerIssue } from '../../../ports/tracker/tracker.ts';
import { newIssueRow } from '../../../ports/tracker/issue-row.ts';
import { oneLineTitle, storableText } from './storable-text.ts';
import { LOCAL_TRACKER, type LocalTrackerDeps } from './local-tracker-deps.ts';
import { nextNumbers } from '../../../observe/events/next-number.ts';
import { trackerIssue } from './tracker-issue.ts';
import { type AuditEntry, auditStatement } from '../../../observe/audit/audit-statement.ts';
import { issueForService } from './comments/service-write.ts';
import { indexRow, keepsChanging, relativesOf } from './queries.ts';
import { parentEvents, parentsAfter, touchParent } from './touch-parent.ts';
import {
  refuseCycle,
  refuseLargeTree,
  resolveBlockers,
  resolveParent,
  waitsForItself,
} from './tree.ts';

/** Retries with the next number when another tracker has an issue with the same identifier. */
const MAX_IDENTIFIER_TRIES = 5;
/** A failed create leaves a gap in the numbers. */
const NEXT_FREE = sql`(select coalesce(max(number), 0) + 1 from local_issues)`;

/** Characters of a title that a refusal names. */
const MAX_NAME_CHARS = 60;

type Draft = Pick<
  LocalIssueRow,
  'id' | 'title' | 'description' | 'state' | 'priority' | 'labels' | 'blocked_by'
>;

/**
 * Creates an issue and its recorded row. Throws a 400 for a missing blocker or parent, a cycle, or a
 * tree that would be too large, and a 409 when another tracker uses the same identifiers.
 */
export async function createLocalIssue(
  deps: LocalTrackerDeps,
  caller: Caller,
  input: CreateLocalIssue,
): Promise<TrackerIssue> {
  const blockers = await resolveBlockers(deps.db, input.blockedBy ?? []);
  const parent = input.parent === undefined ? null : await resolveParent(deps.db, input.parent);
  const draft = {
    id: deps.ids.next('iss'),
    title: oneLineTitle(input.title),
    description: input.description === undefined ? null : storableText(input.description),
    state: input.state ?? 'Todo',
    priority: input.priority ?? null,
    labels: storableLabels(input.labels ?? []),
    blocked_by: blockers.map((blocker) => blocker.id),
  };
  const [issue] = (await insertIssues(deps, caller, { parent, drafts: [draft] })) ?? [];
  if (issue === undefined) throw new Error('no issue was created');
  return issue;
}

/**
 * Creates sub-issues of an issue, all or none; null when its recorded row has another version.
 * Throws as `createLocalIssue`, and a TrackerError when the issue does not exist.
 */
export async function createSubIssues(
  deps: LocalTrackerDeps,
  caller: Caller,
  { id: parentId, version }: { id: string; version: number },
  plans: readonly SubIssuePlan[],
): Promise<TrackerIssue[] | null> {
  const parent = await issueForService(deps, parentId);
  const ids = plans.map(() => deps.ids.next('iss'));
  const drafts = plans.map((plan, at) => ({
    id: ids[at] ?? '',
    title: oneLineTitle(plan.title),
    description: plan.description === undefined ? null : storableText(plan.description),
    state: 'Todo' as const,
    priority: plan.priority,
    labels: storableLabels(plan.labels),
    blocked_by: [...plan.blockedByIds, ...plan.blockedByParts.flatMap((part) => ids[part] ?? [])],
  }));
  return insertIssues(deps, caller, { parent, drafts, version });
}

/** The new issues; null when the parent's recorded row has another version than `version`. */
async function insertIssues(
  deps: LocalTrackerDeps,
  caller: Caller,
  {
    parent,
    drafts,
    version,
  }: { parent: LocalIssueRow | null; drafts: readonly Draft[]; version?: number },
): Promise<TrackerIssue[] | null> {
  const { db } = deps;
  const nowMs = deps.clock.nowMs();
  const prefix = deps.settings.prefix();
  const times = { parent_id: parent?.id ?? null, created_at_ms: nowMs, updated_at_ms: nowMs };
  let whole = parent;
  for (let tries = 0; tries < MAX_IDENTIFIER_TRIES; tries += 1) {
    if (whole !== null)
      await refuseSubIssues(deps, whole, { drafts, isSplit: version !== undefined });
    const counted = { atLeast: NEXT_FREE, count: drafts.length };
    const numbers = await nextNumbers(db, 'local_issue_number', counted);
    const rows = drafts.map((draft, at): LocalIssueRow => {
      const number = numbers[at] ?? 0;
      return { ...draft, ...times, number, identifier: `${prefix}-${number}` };
    });
    const { named } = await relativesOf(db, rows);
    const relatives = { named: [...named, ...rows], parts: [] };
    const created = rows.map((row) => trackerIssue(deps, row, relatives));
    const parents = whole === null ? [] : await parentsAfter(deps, [whole], rows);
    try {
      const committed = await commitChange(deps, {
        ...(whole === null
          ? {}
          : { swap: touchParent(deps, whole, mayTake(whole, drafts, version)) }),
        also: [
          db.insert(localIssues).values(rows),
          ...[...created, ...parents].map((one) => storeTrackerIssue(db, LOCAL_TRACKER, one)),
          ...rows.map((row) => auditStatement(db, nowMs, caller, auditEntry(row, whole))),
        ],
        events: [
          ...created.map((issue) => issueEvent(newIssueRow(LOCAL_TRACKER, issue))),
          ...(await parentEvents(deps, parents)),
        ],
        nowMs,
      });
      if (committed) return created;
    } catch (error) {
      if (!isIdentifierTaken(error)) throw error;
      continue;
    }
    if (whole === null) continue;
    if (version !== undefined && (await indexRow(db, whole.id))?.version !== version) return null;
    whole = await issueForService(deps, whole.id);
  }
  if (whole !== null) throw keepsChanging(whole);
  throw new AppError(
    'conflict',
    `identifiers that begin with ${prefix}- belong to another tracker; set tracker.local.prefix`,
  );
}

function auditEntry(row: LocalIssueRow, parent: LocalIssueRow | null): AuditEntry {
  const { identifier: subject, title, state } = row;
  const details = { title, state, ...(parent === null ? {} : { parent: parent.identifier }) };
  return { operation: 'local_issue.create', subject, details };
}

/** Throws a 400 when a sub-issue would wait for itself, or the tree would be too large. */
async function refuseSubIssues(
  deps: LocalTrackerDeps,
  parent: LocalIssueRow,
  /** `isSplit`: the drafts are those of one request, whose positions a refusal names. */
  { drafts, isSplit }: { drafts: readonly Draft[]; isSplit: boolean },
): Promise<void> {
  for (const [at, { id, title, blocked_by: blockerIds }] of drafts.entries()) {
    if (blockerIds.length === 0) continue;
    const name = `"${cutText(title, MAX_NAME_CHARS, '…')}"`;
    const path = `${isSplit ? `subIssues.${at}.` : ''}blockedBy`;
    await refuseCycle(deps.db, { id, name, blockerIds, parentId: parent.id }, path);
  }
  await refuseLargeTree(deps, parent, { newIssues: drafts.length });
}

/**
 * Condition that new sub-issues do not make their parent wait for itself, and that its recorded row
 * has the version, if one is asked for.
 */
function mayTake(
  { id, parent_id: parentId }: LocalIssueRow,
  drafts: readonly Draft[],
  version: number | undefined,
): SQL | undefined {
  const blockerIds = drafts.flatMap(({ blocked_by }) => blocked_by);
  const isRecorded = sql`exists (select 1 from ${issues} where ${issues.tracker} = ${LOCAL_TRACKER}
    and ${issues.id} = ${id} and ${issues.version} = ${version ?? 0})`;
  const isNoCircle = not(waitsForItself({ id, blockerIds, parentId }));
  return version === undefined ? isNoCircle : and(isNoCircle, isRecorded);
}

/** Labels without duplicates, regardless of case. */
export function storableLabels(labels: readonly string[]): string[] {
  const byKey = new Map<string, string>();
  for (const label of labels) {
    const stored = storableText(label.trim());
    if (!byKey.has(stored.toLowerCase())) byKey.set(stored.toLowerCase(), stored);
  }
  return [...byKey.values()];
}

function isIdentifierTaken(error: unknown): boolean {
  return someCauseSays(error, /UNIQUE constraint failed: (local_)?issues\.identifier/);
}
