import { and, eq, isNotNull, lt, or, type SQL, sql } from 'drizzle-orm';
import { groupBy } from '@switchyard/shared/group-by';
import type { Statement } from '../../db/database.ts';
import { auditStatement } from '../../observe/audit/audit-statement.ts';
import { SERVICE_CALLER } from '../../http/caller/caller.ts';
import { type HeldWorkspaceRow, heldWorkspaces } from '../../db/schema/runners/held-workspaces.ts';
import type { JobRow } from '../../db/schema/operation/jobs.ts';
import { issues } from '../../db/schema/work/issues.ts';
import { runners } from '../../db/schema/runners/runners.ts';
import type { Deps } from '../../deps.ts';
import { WORKSPACE_REMOVAL } from '../../jobs/queue/effect.ts';
import { repeatJob } from '../../jobs/queue/enqueue-effect.ts';
import type { JobHandler } from '../../jobs/queue/run-jobs.ts';
import { isOneOf } from '../../ports/tracker/find-state.ts';
import { errorMessage } from '../../error-message.ts';
import { forgetWorkspace } from './queries.ts';
import { REMOVE_TIMEOUT_MS } from './remove-workspace.ts';

/** Runners that are offline for longer (30 days) are no longer waited for. */
const MAX_AWAY_MS = 2_592_000_000;
/** Removals that one run starts: scripts and many deletions load a host's disk. */
const PER_SWEEP = 100;
const PER_RUNNER = 4;
/** Added to the call's timeout, so that a job's claim outlives its call. */
const CLAIM_MARGIN_MS = 30_000;

type CleanDeps = Pick<Deps, 'db' | 'clock' | 'config' | 'connections' | 'trackers'>;

/**
 * Queues the removal of workspaces of issues that ended in their tracker and have no live attempt,
 * on every connected runner that holds one; offline runners follow later. Workspaces that can never
 * be removed are dropped from the list. True when more removals are left.
 */
export async function cleanFinishedWorkspaces(deps: CleanDeps): Promise<boolean> {
  const { db, clock } = deps;
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
  await db.delete(heldWorkspaces).where(sql`${heldWorkspaces.runner_id} in ${away}`);
  const rows = await finishedWorkspaces(
    deps,
    sql`not exists (select 1 from jobs where status = 'pending'
      and jobs.key = 'workspace:' || ${heldWorkspaces.runner_id} || ':' || ${heldWorkspaces.key})`,
  );
  const connected = await deps.connections.connected(rows.map((row) => row.runner_id));
  const reachable = rows.filter((row) => connected.has(row.runner_id));
  const byRunner = groupBy(reachable, (row) => row.runner_id);
  const begun = [...byRunner.values()].flatMap((held) => held.slice(0, PER_RUNNER));
  const [first, ...rest] = begun.slice(0, PER_SWEEP).map(({ runner_id: runnerId, key, revision }) =>
    repeatJob(db, {
      key: `workspace:${runnerId}:${key}`,
      kind: WORKSPACE_REMOVAL,
      payload: { runnerId, key, revision },
      due_at_ms: nowMs,
      created_at_ms: nowMs,
    }),
  );
  if (first !== undefined) await db.batch([first, ...rest]);
  return rest.length + 1 < reachable.length;
}

/** Removes one workspace, if its issue is still ended and no later offer uses it. */
export function removalHandler(deps: CleanDeps): JobHandler {
  const heldFor = ({ payload }: JobRow) =>
    and(
      eq(heldWorkspaces.runner_id, String(payload['runnerId'])),
      eq(heldWorkspaces.key, String(payload['key'])),
      eq(heldWorkspaces.revision, Number(payload['revision'])),
    );
  return {
    async run(job) {
      const isSame = heldFor(job);
      const [row] = await finishedWorkspaces(deps, isSame);
      if (row === undefined || !(await isConnected(deps, row))) return [];
      const { hooks } = await deps.config.load();
      const withinMs = hooks.timeoutMs + REMOVE_TIMEOUT_MS + CLAIM_MARGIN_MS;
      return { end: remove(deps, row, isSame, hooks), withinMs, isLong: true };
    },
    /** Ends the tries to remove the workspace, which stays listed for people. */
    async givenUp(job) {
      await deps.db.delete(heldWorkspaces).where(heldFor(job));
    },
  };
}

async function isConnected({ connections }: CleanDeps, { runner_id: id }: HeldWorkspaceRow) {
  return (await connections.connected([id])).has(id);
}

async function remove(
  deps: CleanDeps,
  row: HeldWorkspaceRow,
  isSame: SQL | undefined,
  { beforeRemove, timeoutMs }: { beforeRemove?: string | undefined; timeoutMs: number },
): Promise<Statement[]> {
  const { db, clock } = deps;
  const { runner_id: runnerId, key } = row;
  const params = { key, ...(beforeRemove === undefined ? {} : { beforeRemove }), timeoutMs };
  const answerMs = timeoutMs + REMOVE_TIMEOUT_MS;
  try {
    const { removed } = await deps.connections.call(runnerId, 'workspace.remove', params, answerMs);
    const record = auditStatement(
      db,
      clock.nowMs(),
      { ...SERVICE_CALLER, path: 'workspaces' },
      {
        operation: 'workspace.remove',
        subject: key,
        details: { runnerId, reason: 'its issue ended in the tracker' },
      },
    );
    return [
      // Keeps this row if the issue was offered to the runner again in the meantime.
      db.delete(heldWorkspaces).where(isSame),
      forgetWorkspace(db, row),
      ...(removed ? [record] : []),
    ];
  } catch (error) {
    // An offline runner is no failure: the removal is queued again when it is back.
    if (!(await isConnected(deps, row))) return [];
    throw new Error(`the workspace could not be removed: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}

/** Held workspaces of ended issues without a live attempt. */
async function finishedWorkspaces(
  { db, trackers }: CleanDeps,
  which: SQL | undefined,
): Promise<HeldWorkspaceRow[]> {
  const noLiveAttempt = sql`not exists (select 1 from attempts a
    where a.tracker = ${heldWorkspaces.tracker} and a.issue_id = ${heldWorkspaces.issue_id}
    and a.status in ('queued', 'running'))`;
  const rows = await db
    .select({ held: heldWorkspaces, state: issues.state })
    .from(heldWorkspaces)
    .innerJoin(
      issues,
      and(eq(issues.tracker, heldWorkspaces.tracker), eq(issues.id, heldWorkspaces.issue_id)),
    )
    .where(and(which, noLiveAttempt));
  return rows
    .filter(({ held, state }) => {
      const roles = trackers.get(held.tracker)?.stateRoles();
      return roles !== undefined && isOneOf(state, roles.terminal);
    })
    .map(({ held }) => held);
}
