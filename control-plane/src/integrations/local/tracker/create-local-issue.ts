import { sql } from 'drizzle-orm';
import type { CreateLocalIssue } from '@switchyard/shared/api/work/local-issue';
import { someCauseSays } from '@switchyard/shared/causes-of';
import { commitChange } from '../../../observe/events/commit-change.ts';
import { issueEvent } from '../../../issues/rows/issue-event.ts';
import { storeTrackerIssue } from '../../../issues/rows/store-tracker-issue.ts';
import type { Caller } from '../../../http/caller/caller.ts';
import { type LocalIssueRow, localIssues } from '../../../db/schema/work/local-issues.ts';
import { AppError } from '../../../errors.ts';
import type { TrackerIssue } from '../../../ports/tracker/tracker.ts';
import { newIssueRow } from '../../../ports/tracker/issue-row.ts';
import { resolveBlockers } from './blockers.ts';
import { oneLineTitle, storableText } from './storable-text.ts';
import { LOCAL_TRACKER, type LocalTrackerDeps } from './local-tracker-deps.ts';
import { nextNumber } from '../../../observe/events/next-number.ts';
import { trackerIssue } from './tracker-issue.ts';

/** Retries with the next number when another tracker has an issue with the same identifier. */
const MAX_IDENTIFIER_TRIES = 5;
/** A failed create leaves a gap in the numbers. */
const NEXT_FREE = sql`(select coalesce(max(number), 0) + 1 from local_issues)`;

/**
 * Creates an issue and its recorded row. Throws a 400 for a missing blocker, a 409 when another
 * tracker uses the same identifiers.
 */
export async function createLocalIssue(
  deps: LocalTrackerDeps,
  caller: Caller,
  input: CreateLocalIssue,
): Promise<TrackerIssue> {
  const blockers = await resolveBlockers(deps.db, input.blockedBy ?? []);
  const nowMs = deps.clock.nowMs();
  const draft = {
    id: deps.ids.next('iss'),
    title: oneLineTitle(input.title),
    description: input.description === undefined ? null : storableText(input.description),
    state: input.state ?? 'Todo',
    priority: input.priority ?? null,
    labels: storableLabels(input.labels ?? []),
    blocked_by: blockers.map((blocker) => blocker.id),
    created_at_ms: nowMs,
    updated_at_ms: nowMs,
  } satisfies Partial<LocalIssueRow>;
  const prefix = deps.settings.prefix();
  for (let tries = 0; tries < MAX_IDENTIFIER_TRIES; tries += 1) {
    const number = await nextNumber(deps.db, 'local_issue_number', NEXT_FREE);
    const row: LocalIssueRow = { ...draft, number, identifier: `${prefix}-${number}` };
    const issue = trackerIssue(deps, row, blockers);
    try {
      await commitChange(deps, {
        also: [
          deps.db.insert(localIssues).values(row),
          storeTrackerIssue(deps.db, LOCAL_TRACKER, issue),
        ],
        audit: {
          caller,
          operation: 'local_issue.create',
          subject: row.identifier,
          details: { title: row.title, state: row.state },
        },
        events: [issueEvent(newIssueRow(LOCAL_TRACKER, issue))],
        nowMs,
      });
      return issue;
    } catch (error) {
      if (!isIdentifierTaken(error)) throw error;
    }
  }
  throw new AppError(
    'conflict',
    `identifiers that begin with ${prefix}- belong to another tracker; set tracker.local.prefix`,
  );
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
