import type { TransitionList } from '@switchyard/shared/api/work/transition';
import type { IssueRow } from '../db/schema/work/issues.ts';
import type { Deps } from '../deps.ts';
import type { Tracker } from '../ports/tracker/tracker.ts';
import { AppError } from '../errors.ts';
import { requireIssue, recentIssues, transitionPage } from './queries.ts';
import { isWithin } from '../is-within.ts';
import { errorMessage } from '../error-message.ts';

/** Limit on listed issues when the request names none: the most recently changed ones. */
const MAX_ISSUES = 500;
/** How long a team's states are cached: they change rarely, and trackers limit requests. */
const STATES_KEPT_MS = 60_000;
const MAX_KEPT = 1_000;

type Listed = Pick<IssueRow, 'tracker' | 'id' | 'identifier'>;
type States = { states: readonly string[]; asked: number };
export type ListTransitions = (input: {
  issue?: string | undefined;
  limit: number;
  cursor?: string | undefined;
}) => Promise<TransitionList>;

/**
 * Lists the states to which issues may move, and their past moves. A tracker is queried once a
 * minute for each team (the part of an identifier before its number). If a query fails, its issues
 * are left out and the answer says so.
 */
export function createListTransitions(
  deps: Pick<Deps, 'db' | 'clock' | 'trackers'>,
): ListTransitions {
  const kept = new Map<string, States>();

  async function statesOf(tracker: Tracker, issue: Listed): Promise<readonly string[]> {
    const key = `${issue.tracker}\n${teamOf(issue.identifier)}`;
    const known = kept.get(key);
    const nowMs = deps.clock.nowMs();
    if (known !== undefined && isWithin(nowMs, known.asked, STATES_KEPT_MS)) return known.states;
    const states = await tracker.listStates(issue.id);
    if (kept.size >= MAX_KEPT) kept.clear();
    kept.set(key, { states, asked: nowMs });
    return states;
  }

  return async ({ issue: identifier, limit, cursor }) => {
    const before = cursor === undefined ? null : entryOf(cursor);
    const [listed, page] = await Promise.all([
      identifier === undefined ? recentIssues(deps.db, MAX_ISSUES) : one(deps, identifier),
      transitionPage(deps.db, { identifier: identifier ?? null, limit, before }),
    ]);
    const transitions: TransitionList['transitions'] = {};
    const failed = new Map<string, string>();
    for (const issue of listed) {
      const team = `${issue.tracker}\n${teamOf(issue.identifier)}`;
      const tracker = deps.trackers.get(issue.tracker);
      if (failed.has(team)) continue;
      try {
        if (tracker === undefined) throw new Error('it is not configured');
        transitions[issue.identifier] = [...(await statesOf(tracker, issue))];
      } catch (error) {
        failed.set(team, errorMessage(error));
      }
    }
    const last = page.rows.at(-1);
    return {
      transitions,
      log: page.rows.map((row) => ({
        identifier: row.identifier,
        from: row.from_state,
        to: row.to_state,
        reason: row.reason,
        actor: row.actor,
        at: new Date(row.at_ms).toISOString(),
      })),
      total: page.total,
      nextCursor: page.more && last !== undefined ? cursorOf(last.entry) : null,
      unavailable: [...failed].map(([team, reason]) => ({
        tracker: team.slice(0, team.indexOf('\n')),
        reason,
      })),
    };
  };
}

async function one(deps: Pick<Deps, 'db'>, identifier: string): Promise<Listed[]> {
  return [await requireIssue(deps.db, identifier)];
}

function teamOf(identifier: string): string {
  return identifier.replace(/-\d+$/, '');
}

function cursorOf(entry: number): string {
  return btoa(`t${entry}`).replaceAll('=', '');
}

function entryOf(cursor: string): number {
  const text = /^[A-Za-z0-9+/]{1,32}$/.test(cursor) && cursor.length % 4 !== 1 ? atob(cursor) : '';
  const entry = /^t(\d{1,15})$/.exec(text)?.[1];
  if (entry === undefined) {
    const message = 'cursor is none that this service gave';
    throw new AppError('bad_request', message, { details: [{ path: 'cursor', message }] });
  }
  return Number(entry);
}
