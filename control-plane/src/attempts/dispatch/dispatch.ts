import { commitChange } from '../../observe/events/commit-change.ts';
import type { EffectiveConfig } from '../../admin/config/schema/config-schema.ts';
import { routeForIssue } from '../../admin/config/repositories/route-for-issue.ts';
import type { AttemptRow } from '../../db/schema/work/attempts.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import type { UpstreamPauseRow } from '../../db/schema/work/pauses.ts';
import type { Deps } from '../../deps.ts';
import { setIssueStatus } from '../../issues/set-issue-status.ts';
import { issueEvent } from '../../issues/rows/issue-event.ts';
import { swapIssue } from '../../issues/rows/update-issue.ts';
import { notifyIssueGivenUp } from '../../people/notifications/notify-issue.ts';
import { isOneOf } from '../../issues/tracker/find-state.ts';
import { readPause } from '../../issues/pause/queries.ts';
import {
  codeHostUpstream,
  isCodeHost,
  issueKey,
  pauseCode,
  providerUpstream,
  upstreamWords,
} from '../upstreams/provider-upstream.ts';
import { TemplateMissing } from '../prompt/prompt-template.ts';
import { TemplateError } from '../prompt/template-error.ts';
import { usageToday } from '../../observe/usage/queries.ts';
import { type AvailableRunner, type Candidate, decideDispatch, type Why } from './decide.ts';
import { isolationShortfall } from './isolation-shortfall.ts';
import { parkOverBudget, withinBudget } from './park-over-budget.ts';
import { attemptMs } from './build-spec.ts';
import { offerAttempt } from './offer-attempt.ts';
import { providerProblem } from './provider-problem.ts';
import { type DispatchRows, readDispatchRows } from './queries.ts';

/** Gives free slots to the issues that come first, and writes why the others wait. */
export async function dispatch(deps: Deps): Promise<{ offered: number; waiting: number }> {
  const config = await deps.config.load();
  const nowMs = deps.clock.nowMs();
  const rows = withinBudget(
    await readDispatchRows(deps.db, nowMs, attemptMs(config)),
    config,
    await usageToday(deps.db, nowMs),
  );
  await parkOverBudget(deps, rows.overBudget);
  const pause = await readPause(deps.db);
  const byKey = new Map(rows.candidates.map((issue) => [keyOf(issue), issue]));
  const waitingAttempts = new Map(
    rows.live
      .filter((attempt) => attempt.status === 'queued')
      .map((attempt) => [`${attempt.tracker}\n${attempt.issue_id}`, attempt]),
  );
  const candidates = toCandidates(deps, rows, waitingAttempts, config);
  const decision = decideDispatch({
    candidates,
    // Nobody is asked about sockets, and woken by it, while nothing waits.
    runners: candidates.length === 0 ? [] : await availableRunners(deps, rows, config),
    runningStates: heldStates(rows),
    caps: {
      maxConcurrentAgents: config.agent.maxConcurrentAgents,
      maxConcurrentAgentsByState: config.agent.maxConcurrentAgentsByState,
      requiredLabels: config.tracker.requiredLabels,
    },
    pausedUpstreams: rows.pauses.map((row) => ({
      upstream: row.upstream,
      why: whyPaused(row),
      open: row.due_at_ms <= nowMs && row.canary_attempt_id === null,
      failedKey: row.failed_issue,
    })),
    paused:
      pause === null
        ? configBlock(deps)
        : { code: 'service_paused', reason: `paused: ${pause.reason}` },
  });
  let offered = 0;
  for (const { key, runnerId, canaryOf } of decision.assign) {
    const issue = byKey.get(key);
    const route = issue === undefined ? null : routeForIssue(issue, config.repos);
    if (issue === undefined || route === null) continue;
    const waiting = waitingAttempts.get(key) ?? null;
    if (await offer(deps, { issue, waiting, runnerId, canaryOf, route, config })) offered += 1;
  }
  for (const { key, eligible, ...why } of decision.wait) {
    const issue = byKey.get(key);
    if (issue !== undefined)
      await noteWaiting(deps, issue, eligible || waitingAttempts.has(key), why);
  }
  return { offered, waiting: decision.wait.length };
}

/** A base file that cannot be read starts nothing new: its rules are not known. */
function configBlock(deps: Pick<Deps, 'config'>): Why | null {
  const problem = deps.config.problems().find((candidate) => candidate.blocksDispatch);
  if (problem === undefined) return null;
  const reason = `waiting for a valid configuration: ${problem.message}`;
  return { code: 'config_invalid', reason };
}

function keyOf(issue: { tracker: string; id: string }): string {
  return issueKey(issue.tracker, issue.id);
}

function toCandidates(
  deps: Deps,
  rows: DispatchRows,
  waitingAttempts: ReadonlyMap<string, AttemptRow>,
  config: EffectiveConfig,
): Candidate[] {
  const lastRunner = new Map<string, string>();
  for (const attempt of rows.live) {
    if (attempt.runner_id !== null)
      lastRunner.set(`${attempt.tracker}\n${attempt.issue_id}`, attempt.runner_id);
  }
  return rows.candidates
    .filter((issue) => {
      const roles = deps.trackers.get(issue.tracker)?.stateRoles();
      const active = roles !== undefined && isOneOf(issue.state, roles.active);
      const attempt = waitingAttempts.get(keyOf(issue));
      // One that is on offer already has its runner.
      return active && (attempt === undefined || attempt.runner_id === null);
    })
    .map((issue) => ({
      key: keyOf(issue),
      identifier: issue.identifier,
      priority: issue.priority,
      createdAtMs: issue.created_at_ms,
      state: issue.state,
      labels: issue.labels,
      blockers: issue.blocked_by
        .filter((blocker) => !blocker.terminal)
        .map((blocker) => blocker.identifier),
      unready: whyUnready(issue, config),
      lastRunnerId: lastRunner.get(keyOf(issue)) ?? null,
      upstreams: upstreamsOf(issue, config),
    }));
}

function whyUnready(issue: IssueRow, config: EffectiveConfig): Why | null {
  if (issue.unroutable !== null) return { code: 'tracker_excluded', reason: issue.unroutable };
  const provider = providerProblem(config);
  if (provider !== null) return { code: 'provider_key_missing', reason: provider };
  if (routeForIssue(issue, config.repos) !== null) return null;
  return { code: 'repository_missing', reason: 'no repository is set for issues like this one' };
}

function upstreamsOf(issue: IssueRow, config: EffectiveConfig): string[] {
  const route = routeForIssue(issue, config.repos);
  const provider = providerUpstream(config.engine.provider.baseUrl);
  return route === null ? [provider] : [provider, codeHostUpstream(route.url)];
}

function whyPaused(row: UpstreamPauseRow): Why {
  const what = upstreamWords(row.upstream);
  const isHost = isCodeHost(row.upstream);
  if (row.canary_attempt_id !== null) {
    const reason = `waiting for one attempt that tries ${what}`;
    return { code: isHost ? 'codehost_trial' : 'provider_trial', reason };
  }
  return { code: pauseCode(row), reason: `waiting for ${what}: ${row.reason}` };
}

async function availableRunners(
  deps: Deps,
  rows: DispatchRows,
  { engine }: EffectiveConfig,
): Promise<AvailableRunner[]> {
  const wanted = rows.runners.filter((runner) => !runner.draining);
  const connected = await deps.sockets.connected(wanted.map((runner) => runner.runner_id));
  return wanted
    .filter((runner) => connected.has(runner.runner_id))
    .map((runner) => {
      const held = rows.live.filter(
        (attempt) => attempt.runner_id === runner.runner_id && attempt.released_at_ms === null,
      );
      return {
        runnerId: runner.runner_id,
        freeSlots: Math.max(0, runner.slots_total - held.length),
        labels: runner.labels,
        tooWeak: isolationShortfall(runner, engine.sandbox),
      };
    });
}

/** Tracker states of the issues that hold a slot. */
function heldStates(rows: DispatchRows): string[] {
  return rows.live
    .filter((attempt) => attempt.runner_id !== null && attempt.released_at_ms === null)
    .map((attempt) => attempt.issue_state);
}

async function offer(deps: Deps, input: Parameters<typeof offerAttempt>[1]): Promise<boolean> {
  try {
    return await offerAttempt(deps, input);
  } catch (error) {
    if (error instanceof TemplateMissing) {
      const why: Why = { code: 'template_missing', reason: `waiting: ${error.message}` };
      await noteWaiting(deps, input.issue, true, why);
      return false;
    }
    // It names the line and the variable: what a person needs to mend the template.
    if (!(error instanceof TemplateError)) throw error;
    const reason = `the prompt template cannot be rendered: ${error.message}`;
    const code = 'template_broken';
    const also = notifyIssueGivenUp(deps.db, deps.clock.nowMs(), input.issue, { code, reason });
    await setIssueStatus(deps, { issue: input.issue, status: 'failed', reason, code, also });
    return false;
  }
}

async function noteWaiting(
  deps: Deps,
  issue: IssueRow,
  eligible: boolean,
  { code, reason }: Why,
): Promise<void> {
  const status = eligible ? 'queued' : 'idle';
  const isSaid = issue.reason === reason && issue.reason_code === code;
  if (issue.status === status && isSaid) return;
  const nowMs = deps.clock.nowMs();
  const change = { status, reason, reason_code: code } as const;
  const queuedSinceMs = eligible ? (issue.queued_since_ms ?? nowMs) : null;
  // Where it changed in between, the next run notes what is true then.
  await commitChange(deps, {
    swap: swapIssue(deps.db, issue, { ...change, queued_since_ms: queuedSinceMs }),
    events: [issueEvent({ ...issue, ...change }, eligible ? 'issue.queued' : 'issue.updated')],
    nowMs,
  });
}
