import { kindForPullRequest } from '../attempts/kind-for-pull-request.ts';
import type { EffectiveConfig } from '../config/schema/config-schema.ts';
import { MERGE_FEATURE, REVIEW_FEATURE } from '@switchyard/shared/protocol/features';
import { routeForIssue } from '../config/repositories/route-for-issue.ts';
import { isScriptedModel } from '@switchyard/shared/model-providers/scripted-model';
import type { AttemptRow } from '../db/schema/work/attempts.ts';
import type { IssueRow } from '../db/schema/work/issues.ts';
import type { Bound, Deps } from '../deps.ts';
import { goneWhy } from '../issues/decide.ts';
import { setIssueStatus } from '../issues/set-issue-status.ts';
import { chainEntries, chainFromWhereItWas } from '../runners/failover/chain-entries.ts';
import type { Why } from '../runners/failover/decide-engine.ts';
import { engineChain } from '../attempts/engine-choices/engine-chain.ts';
import { namesForWork } from '../runners/available-engines/engines-of.ts';
import { asScripted, type EngineChoice } from '../config/provider/engine-choice.ts';
import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import { notifyIssueGivenUp } from '../notifications/notify-issue.ts';
import { blockerCircles } from '../ports/tracker/blocker-circles.ts';
import { endsByParts, partsToAwait } from '../issues/sub-issues/decide.ts';
import { isOneOf } from '../ports/tracker/find-state.ts';
import { isGone, whyGone } from '../ports/tracker/out-of-sight.ts';
import { unreadableIssues } from '../issues/sync/unreadable-issues.ts';
import { readPause } from '../issues/pause/queries.ts';
import { asPaused } from '../runners/failover/as-paused.ts';
import { codeHostUpstream, issueKey } from '../attempts/upstreams/provider-upstream.ts';
import { TemplateMissing } from '../attempts/prompt/prompt-template.ts';
import { TemplateError } from '../attempts/prompt/template-error.ts';
import { usageOfTrees, usageToday } from '../usage/queries.ts';
import { type AvailableRunner, type Candidate, decideDispatch } from './decide.ts';
import { isolationShortfall } from '../runners/failover/isolation-shortfall.ts';
import { parkOverBudget, withinBudget } from './park-over-budget.ts';
import { attemptMs } from './offer/build-spec.ts';
import type { Offer } from './offer/offer.ts';
import type { offerAttempt } from './offer/offer-attempt.ts';
import { storeWaitingReason } from './store-waiting-reason.ts';
import { type DispatchRows, readDispatchRows } from './queries.ts';
import { automationsOfIssues } from '../attempts/engine-choices/queries.ts';
import { asksForAutomations } from '../attempts/engine-choices/chain-of-issue.ts';

/** What a runner must be able to do, by what is queued. */
const NEEDS = {
  work: { feature: null, needsEngine: true },
  review: { feature: REVIEW_FEATURE, needsEngine: true },
  check: { feature: MERGE_FEATURE, needsEngine: false },
} as const;

const UNREADABLE: Why = {
  code: 'tracker_excluded',
  reason:
    'the tracker shows it in a form that cannot be read; what is wrong stands in the health of the service',
};

type DispatchDeps = Pick<Deps, 'db' | 'clock' | 'config' | 'connections' | 'trackers'> & {
  offerAttempt: Bound<typeof offerAttempt>;
};

/** Offers free slots to the first issues in order, and records why the others wait. */
export async function dispatch(deps: DispatchDeps): Promise<{ offered: number; waiting: number }> {
  const config = await deps.config.load();
  const nowMs = deps.clock.nowMs();
  const read = await readDispatchRows(deps.db, nowMs, attemptMs(config));
  const { treeTokens, treeCostUsd } = config.agent.budget;
  const hasTreeBudget = treeTokens !== undefined || treeCostUsd !== undefined;
  const rows = withinBudget(read, config, {
    today: await usageToday(deps.db, nowMs),
    trees: await usageOfTrees(deps.db, hasTreeBudget ? read.candidates : []),
  });
  await parkOverBudget(deps, rows.overBudget);
  const pause = await readPause(deps.db);
  const waitingAttempts = new Map(
    rows.waiting.map((attempt) => [issueKey(attempt.tracker, attempt.issue_id), attempt]),
  );
  const routed = await routeIssues(deps, rows, { config, waitingAttempts });
  const { issues: unreadable } =
    rows.candidates.length === 0
      ? { issues: [] }
      : await unreadableIssues(deps.db, config.tracker.kind);
  const isUnreadable = new Set(unreadable.map(({ id }) => issueKey(config.tracker.kind, id ?? '')));
  const candidates = toCandidates(deps, rows, waitingAttempts, { config, routed, isUnreadable });
  const decision = decideDispatch({
    candidates,
    // Asking which runners are connected wakes the process that holds the sockets, so nobody is
    // asked while no issue waits.
    runners: candidates.length === 0 ? [] : await availableRunners(deps, rows, config),
    runningStates: heldStates(rows),
    caps: {
      maxConcurrentAgents: config.agent.maxConcurrentAgents,
      maxConcurrentAgentsByState: config.agent.maxConcurrentAgentsByState,
      requiredLabels: config.tracker.requiredLabels,
    },
    pausedUpstreams: rows.pauses.map((row) => asPaused(row, nowMs)),
    nowMs,
    paused:
      pause === null
        ? configBlock(deps)
        : { code: 'service_paused', reason: `paused: ${pause.reason}` },
  });
  let offered = 0;
  for (const { key, runnerId, choice: name, canaryOf } of decision.assign) {
    const { issue, route, chain } = routed.get(key) ?? {};
    const choice = chain?.find((one) => one.name === name);
    if (issue === undefined || route == null || choice === undefined) continue;
    const waiting = waitingAttempts.get(key) ?? null;
    const input = { issue, waiting, runnerId, choice, canaryOf, route, config };
    if (await offer(deps, input)) offered += 1;
  }
  for (const { key, eligible, ...why } of decision.wait) {
    const issue = routed.get(key)?.issue;
    if (issue !== undefined)
      await storeWaitingReason(deps, issue, {
        ...why,
        status: eligible || waitingAttempts.has(key) ? 'queued' : 'idle',
      });
  }
  return { offered, waiting: decision.wait.length };
}

/** A configuration problem that stops new work, such as an unreadable file; null: none. */
function configBlock(deps: Pick<Deps, 'config'>): Why | null {
  const problem = deps.config.problems().find((candidate) => candidate.blocksDispatch);
  if (problem === undefined) return null;
  const reason = `waiting for a valid configuration: ${problem.message}`;
  return { code: 'config_invalid', reason };
}

function keyOf(issue: { tracker: string; id: string }): string {
  return issueKey(issue.tracker, issue.id);
}

/**
 * An issue with its repository route and engine chain; null where it has no route, or a person
 * chose an engine that is no longer configured.
 */
type Routed = { issue: IssueRow; route: RepoRoute | null; chain: EngineChoice[] | null };

async function routeIssues(
  { db }: Pick<Deps, 'db'>,
  { candidates }: DispatchRows,
  given: { config: EffectiveConfig; waitingAttempts: ReadonlyMap<string, AttemptRow> },
): Promise<ReadonlyMap<string, Routed>> {
  const { config, waitingAttempts } = given;
  const automations = asksForAutomations(config) ? await automationsOfIssues(db) : null;
  return new Map(
    candidates.map((issue) => {
      const key = keyOf(issue);
      const route = routeForIssue(issue, config.repos);
      const facts = { repository: route?.url ?? null, automation: automations?.get(key) ?? null };
      const chain = engineChain({ ...withOwnEngine(issue, route), ...facts }, config);
      const waiting = waitingAttempts.get(key);
      // An attempt that began with the trial's scripted model ends with it: otherwise its trial
      // mark would be lost.
      const staysOnTrial = waiting?.thread_id != null && isScriptedModel(waiting.model);
      return [key, { issue, route, chain: staysOnTrial ? chain && chain.map(asScripted) : chain }];
    }),
  );
}

/**
 * The issue, with the engine that its next attempt needs: for a review that of the policy, if it
 * names one. A test of a merge needs none; the usual one only completes its specification.
 */
function withOwnEngine(issue: IssueRow, route: RepoRoute | null): IssueRow {
  const kind = kindForPullRequest(issue);
  if (kind === 'check') return { ...issue, engine: null };
  const engine = kind === 'review' ? route?.review?.engine : undefined;
  return engine === undefined ? issue : { ...issue, engine, model: null, reasoning_effort: null };
}

function toCandidates(
  deps: Pick<Deps, 'config' | 'trackers'>,
  rows: DispatchRows,
  waitingAttempts: ReadonlyMap<string, AttemptRow>,
  given: {
    config: EffectiveConfig;
    routed: ReadonlyMap<string, Routed>;
    /** Keys of issues that could not be read at the last sync. */
    isUnreadable: ReadonlySet<string>;
  },
): Candidate[] {
  const { config, routed, isUnreadable } = given;
  const problems = deps.config.problems();
  const circles = circlesAmong(rows.candidates);
  return rows.candidates
    .filter((issue) => {
      const roles = deps.trackers.get(issue.tracker)?.stateRoles();
      const active = roles !== undefined && isOneOf(issue.state, roles.active);
      const attempt = waitingAttempts.get(keyOf(issue));
      // An offered attempt already has its runner; `endParents` ends an issue whose parts have.
      // A pull request is reviewed and merged in whatever state its issue waits for that.
      const mayStart = active || kindForPullRequest(issue) !== null;
      return (
        mayStart && (attempt === undefined || attempt.runner_id === null) && !endsByParts(issue)
      );
    })
    .map((issue) => {
      const key = keyOf(issue);
      const { route = null, chain: choices = null } = routed.get(key) ?? {};
      const waiting = waitingAttempts.get(key);
      const last = rows.lastRunners.get(key);
      const inTurn = waiting === undefined ? choices : chainFromWhereItWas(choices ?? [], waiting);
      const entries = chainEntries(inTurn ?? [], config, problems);
      // A test of a merge asks no model, so no trouble of a provider holds it up.
      const forPullRequest = kindForPullRequest(issue);
      const isMergeTest = forPullRequest === 'check';
      const chain = isMergeTest
        ? entries.map((entry) => ({ ...entry, upstream: '', unready: null }))
        : entries;
      return {
        key,
        identifier: issue.identifier,
        priority: issue.priority,
        createdAtMs: issue.created_at_ms,
        state: issue.state,
        labels: issue.labels,
        blockers: issue.blocked_by
          .filter((blocker) => !blocker.terminal)
          .map((blocker) => blocker.identifier),
        openParts: partsToAwait(issue),
        circle: circles.get(key) ?? null,
        unready:
          heldByTrial(waiting, config) ??
          (isUnreadable.has(key)
            ? UNREADABLE
            : whyUnready(withOwnEngine(issue, route), route, choices)) ??
          chain[0]?.unready ??
          null,
        lastRunnerId: last?.runnerId ?? null,
        unfitRunnerId: last?.isUnfit === true ? last.runnerId : null,
        ...NEEDS[forPullRequest ?? 'work'],
        upstreams: route === null ? [] : [codeHostUpstream(route.url)],
        chain,
      };
    });
}

/**
 * Holds back attempts of real models during a trial: the scripted model must not continue their
 * work, or they its work.
 */
function heldByTrial(waiting: AttemptRow | undefined, { engine }: EffectiveConfig): Why | null {
  const isOfModel = waiting?.thread_id != null && !isScriptedModel(waiting.model);
  if (!engine.trial || !isOfModel) return null;
  const reason =
    'a model began this before the trial without a model: end the trial, or cancel the attempt and retry';
  return { code: 'trial_is_on', reason };
}

/**
 * Cycles among issues that all wait; an issue that is being worked on will end and breaks its
 * cycle.
 */
function circlesAmong(waiting: readonly IssueRow[]): ReadonlyMap<string, string> {
  const blocked = waiting.filter(({ dispatchable }) => !dispatchable);
  return blockerCircles(
    blocked.map((issue) => ({
      key: keyOf(issue),
      identifier: issue.identifier,
      blockers: [...issue.blocked_by, ...issue.sub_issues]
        .filter(({ terminal }) => !terminal)
        .map(({ id }) => issueKey(issue.tracker, id)),
    })),
  );
}

function whyUnready(
  issue: IssueRow,
  route: RepoRoute | null,
  chain: readonly EngineChoice[] | null,
): Why | null {
  if (isGone(issue.unroutable)) return goneWhy(whyGone(issue.unroutable));
  if (issue.unroutable !== null) return { code: 'tracker_excluded', reason: issue.unroutable };
  if (chain === null || chain.length === 0) {
    const reason = `no choice of engine is named ${issue.engine}`;
    return { code: 'engine_missing', reason };
  }
  if (route !== null) return null;
  return { code: 'repository_missing', reason: 'no repository is set for issues like this one' };
}

async function availableRunners(
  deps: Pick<Deps, 'connections'>,
  rows: DispatchRows,
  { engine }: EffectiveConfig,
): Promise<AvailableRunner[]> {
  const wanted = rows.runners.filter((runner) => !runner.draining);
  const connected = await deps.connections.connected(wanted.map((runner) => runner.runner_id));
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
        features: runner.features,
        tooWeak: isolationShortfall(runner, engine.sandbox),
        ...namesForWork(runner),
      };
    });
}

/** Tracker states of the issues that occupy a slot. */
function heldStates(rows: DispatchRows): string[] {
  return rows.live
    .filter((attempt) => attempt.runner_id !== null && attempt.released_at_ms === null)
    .map((attempt) => attempt.issue_state);
}

async function offer(
  deps: Pick<Deps, 'db' | 'clock' | 'connections'> & Pick<DispatchDeps, 'offerAttempt'>,
  input: Offer,
): Promise<boolean> {
  try {
    const message = await deps.offerAttempt(input);
    if (message !== null) deps.connections.send(input.runnerId, [message]);
    return message !== null;
  } catch (error) {
    if (error instanceof TemplateMissing) {
      const reason = `waiting: ${error.message}`;
      const code = 'template_missing';
      await storeWaitingReason(deps, input.issue, { status: 'queued', code, reason });
      return false;
    }
    // The error names the line and the variable that a person must correct in the template.
    if (!(error instanceof TemplateError)) throw error;
    const reason = `the prompt template cannot be rendered: ${error.message}`;
    const code = 'template_broken';
    const also = notifyIssueGivenUp(deps.db, deps.clock.nowMs(), input.issue, { code, reason });
    await setIssueStatus(deps, { issue: input.issue, status: 'failed', reason, code, also });
    return false;
  }
}
