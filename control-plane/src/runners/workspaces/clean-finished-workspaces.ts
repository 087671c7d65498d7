import { and, eq, isNotNull, lt, lte, or, sql } from 'drizzle-orm';
import type { CallParams } from '@switchyard/shared/protocol/calls';
import { commitChange } from '../../observe/events/commit-change.ts';
import { SERVICE_CALLER } from '../../observe/audit/caller.ts';
import { type HeldWorkspaceRow, heldWorkspaces } from '../../db/schema/runners/held-workspaces.ts';
import { issues } from '../../db/schema/work/issues.ts';
import { runners } from '../../db/schema/runners/runners.ts';
import type { Deps } from '../../deps.ts';
import { retryDelayMs } from '../../jobs/queue/retry-delay-ms.ts';
import { isOneOf } from '../../issues/tracker/normalise-state.ts';
import { errorWords } from '../../error-words.ts';
import { forgetWorkspace } from './queries.ts';
import { REMOVE_TIMEOUT_MS } from './remove-workspace.ts';

/** Removals that fail are given up after so many tries; a person still finds the workspace listed. */
const MAX_TRIES = 8;
/** A runner that was away for longer is not waited for: 30 days. */
const MAX_AWAY_MS = 2_592_000_000;
/** Removals begun in one look; scripts and many files keep a host's disk busy. */
const PER_LOOK = 100;
const PER_RUNNER = 4;
/** Beyond what the answer may take: a claim outlives its call. */
const CLAIM_MARGIN_MS = 30_000;

type CleanDeps = Pick<
  Deps,
  'db' | 'clock' | 'config' | 'sockets' | 'calls' | 'trackers' | 'background' | 'logger'
>;

/**
 * Begins to remove the workspaces of issues that ended in their tracker and have no live attempt,
 * on every connected runner that holds one; others are waited for. Beside the coordinator: a slow
 * disk or script delays nothing else. True when more are left to begin.
 */
export async function cleanFinishedWorkspaces(deps: CleanDeps): Promise<boolean> {
  const { hooks } = await deps.config.load();
  const rows = await finishedWorkspaces(deps);
  const connected = await deps.sockets.connected(rows.map((row) => row.runner_id));
  const perRunner = new Map<string, number>();
  const begin: HeldWorkspaceRow[] = [];
  let more = false;
  for (const row of rows) {
    if (!connected.has(row.runner_id)) continue;
    const begun = perRunner.get(row.runner_id) ?? 0;
    if (begin.length >= PER_LOOK || begun >= PER_RUNNER) {
      more = true;
      continue;
    }
    perRunner.set(row.runner_id, begun + 1);
    begin.push(row);
  }
  const timeoutMs = hooks.timeoutMs + REMOVE_TIMEOUT_MS;
  for (const row of begin) {
    const claimed = await claim(deps, row, deps.clock.nowMs() + timeoutMs + CLAIM_MARGIN_MS);
    if (claimed === null) continue;
    const params = {
      key: row.key,
      ...(hooks.beforeRemove === undefined ? {} : { beforeRemove: hooks.beforeRemove }),
      timeoutMs: hooks.timeoutMs,
    };
    ask(deps, claimed, { ...params, answerMs: timeoutMs });
  }
  return more;
}

/** Only what follows the answer is waited for when the service stops: a script may take long. */
function ask(
  deps: CleanDeps,
  row: HeldWorkspaceRow,
  { answerMs, ...params }: CallParams<'workspace.remove'> & { answerMs: number },
): void {
  deps.calls.call(row.runner_id, 'workspace.remove', params, answerMs).then(
    ({ removed }) =>
      deps.background.run('workspace removed', () => noteRemoved(deps, row, removed)),
    (error: unknown) =>
      deps.background.run('workspace not removed', () => noteFailed(deps, row, error)),
  );
}

/** Due rows of ended issues without a live attempt. What can never be removed is forgotten. */
async function finishedWorkspaces({ db, clock, trackers }: CleanDeps): Promise<HeldWorkspaceRow[]> {
  const nowMs = clock.nowMs();
  const away = db
    .select({ id: runners.runner_id })
    .from(runners)
    .where(
      or(
        isNotNull(runners.revoked_at_ms),
        and(eq(runners.connected, false), lt(runners.last_seen_at_ms, nowMs - MAX_AWAY_MS)),
      ),
    );
  const [, rows] = await db.batch([
    db.delete(heldWorkspaces).where(sql`${heldWorkspaces.runner_id} in ${away}`),
    db
      .select({ held: heldWorkspaces, state: issues.state })
      .from(heldWorkspaces)
      .innerJoin(
        issues,
        and(eq(issues.tracker, heldWorkspaces.tracker), eq(issues.id, heldWorkspaces.issue_id)),
      )
      .where(and(lte(heldWorkspaces.due_at_ms, nowMs), noLiveAttempt())),
  ]);
  return rows
    .filter(({ held, state }) => {
      const roles = trackers.get(held.tracker)?.stateRoles();
      return roles !== undefined && isOneOf(state, roles.terminal);
    })
    .map(({ held }) => held);
}

function noLiveAttempt() {
  return sql`not exists (select 1 from attempts a where a.tracker = ${heldWorkspaces.tracker}
    and a.issue_id = ${heldWorkspaces.issue_id} and a.status in ('queued', 'running'))`;
}

function same(row: HeldWorkspaceRow) {
  return and(
    eq(heldWorkspaces.runner_id, row.runner_id),
    eq(heldWorkspaces.key, row.key),
    eq(heldWorkspaces.revision, row.revision),
    eq(heldWorkspaces.due_at_ms, row.due_at_ms),
  );
}

/** The row under a due time that only this removal knows; null when something came in between. */
async function claim(
  { db }: CleanDeps,
  row: HeldWorkspaceRow,
  untilMs: number,
): Promise<HeldWorkspaceRow | null> {
  const claimed = { ...row, tries: row.tries + 1, due_at_ms: untilMs };
  const { rowsAffected } = await db
    .update(heldWorkspaces)
    .set({ tries: claimed.tries, due_at_ms: untilMs })
    .where(and(same(row), noLiveAttempt()));
  return rowsAffected === 1 ? claimed : null;
}

async function noteRemoved(
  deps: CleanDeps,
  row: HeldWorkspaceRow,
  removed: boolean,
): Promise<void> {
  const { db } = deps;
  const audit = {
    caller: { ...SERVICE_CALLER, path: 'workspaces' },
    operation: 'workspace.remove',
    subject: row.key,
    details: { runnerId: row.runner_id, reason: 'its issue ended in the tracker' },
  };
  const committed = await commitChange(deps, {
    swap: db.delete(heldWorkspaces).where(same(row)),
    also: [forgetWorkspace(db, row)],
    ...(removed ? { audit } : {}),
  });
  // The issue was offered to this runner anew meanwhile: its next workspace is noted already.
  if (!committed && removed) await commitChange(deps, { audit });
}

async function noteFailed(deps: CleanDeps, row: HeldWorkspaceRow, error: unknown): Promise<void> {
  const { runner_id: runnerId, key, tries } = row;
  const message = errorWords(error);
  const offline = !(await deps.sockets.connected([runnerId])).has(runnerId);
  const givenUp = !offline && tries >= MAX_TRIES;
  deps.logger.warn('a workspace could not be removed', {
    ...{ workspace: key, runnerId, tries, givenUp },
    error: message,
  });
  if (givenUp) {
    await deps.db.delete(heldWorkspaces).where(same(row));
    return;
  }
  await deps.db
    .update(heldWorkspaces)
    .set({
      // Being away is no failure of the removal.
      tries: offline ? row.tries - 1 : row.tries,
      due_at_ms: deps.clock.nowMs() + (offline ? 0 : retryDelayMs(tries)),
    })
    .where(same(row));
}
