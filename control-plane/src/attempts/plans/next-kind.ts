import { kindForPullRequest } from '../kind-for-pull-request.ts';
import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import type { AttemptKind } from '@switchyard/shared/api/work/attempt';
import type { PlanMode } from '@switchyard/shared/plan/plan-mode';
import type { EffectiveConfig } from '../../config/schema/config-schema.ts';
import { routeForIssue } from '../../config/repositories/route-for-issue.ts';
import type { AttemptRow } from '../../db/schema/work/attempts.ts';
import { isOneOf } from '../../ports/tracker/find-state.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';

const STRICTEST_FIRST = ['ask', 'auto', 'off'] as const satisfies PlanMode[];

/** The plan mode of an issue: by its labels, else its state, its repository, or for all. Pure. */
function planModeOf(
  { labels, state }: Pick<IssueRow, 'labels' | 'state'>,
  route: Pick<RepoRoute, 'plan'> | null,
  { plan }: Pick<EffectiveConfig['agent'], 'plan'>,
): PlanMode {
  const byLabel = labels.map((label) => modeOf(plan.byLabel, label));
  return (
    STRICTEST_FIRST.find((mode) => byLabel.includes(mode)) ??
    modeOf(plan.byState, state) ??
    route?.plan ??
    plan.mode
  );
}

function modeOf(modes: Readonly<Record<string, PlanMode>>, name: string): PlanMode | undefined {
  const key = name.trim().toLowerCase();
  return Object.hasOwn(modes, key) ? modes[key] : undefined;
}

/** The mode under which an attempt's plan was made, by the present settings. Pure. */
export function modeOfPlan(
  { attempt, issue }: { attempt: Pick<AttemptRow, 'plan_state'>; issue: IssueRow },
  { repos, agent }: Pick<EffectiveConfig, 'repos' | 'agent'>,
): PlanMode {
  const state = attempt.plan_state ?? issue.state;
  return planModeOf({ labels: issue.labels, state }, routeForIssue(issue, repos), agent);
}

type Next = {
  issue: Pick<
    IssueRow,
    | 'read_only'
    | 'plan_request_id'
    | 'pull_request_url'
    | 'merging'
    | 'reviewing'
    | 'labels'
    | 'state'
  >;
  /** The attempt before it; null: none. */
  before: Pick<AttemptRow, 'plan_state'> | null;
  route: Pick<RepoRoute, 'plan'>;
  /** The tracker state to which this service moves an issue that is worked on; null: none. */
  startedState: string | null;
};

/**
 * What the next attempt on an issue is for: what its pull request is queued for, a plan, or work. An
 * issue with a pull request was worked on before, and
 * one that only asks for a report changes nothing, so neither is planned. When this service has
 * moved an issue for its plan, the state before that still counts. Pure.
 */
export function nextKind(
  { issue, before, route, startedState }: Next,
  agent: Pick<EffectiveConfig['agent'], 'plan'>,
): { kind: AttemptKind; planState: string | null } {
  const forPullRequest = kindForPullRequest(issue);
  if (forPullRequest !== null) return { kind: forPullRequest, planState: null };
  const isMovedHere = startedState !== null && isOneOf(issue.state, [startedState]);
  const state = (isMovedHere ? before?.plan_state : null) ?? issue.state;
  const mode = planModeOf({ labels: issue.labels, state }, route, agent);
  const isWork =
    mode === 'off' ||
    issue.read_only ||
    issue.plan_request_id !== null ||
    issue.pull_request_url !== null;
  return isWork ? { kind: 'work', planState: null } : { kind: 'plan', planState: state };
}
