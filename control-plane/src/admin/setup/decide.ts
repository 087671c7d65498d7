import { SCRIPTED_SUFFIX } from '@switchyard/shared/engine/scripted-model';
import type { Issue } from '@switchyard/shared/api/work/issue';
import type { SetupStep } from '@switchyard/shared/api/admin/setup';

/** What the steps are judged by. */
export type SetupStanding = {
  masterKey: { confirmed: boolean };
  tracker: { kind: string; hasKey: boolean };
  /** `host`: kind of the code host that serves the repository; null when none does. */
  routes: readonly { url: string; host: string | null }[];
  /** `isPublic`: it is reached over the internet and so wants a key. */
  provider: {
    name: string;
    model: string;
    hasKey: boolean;
    isPublic: boolean;
    /** A script answers in its place. */
    onTrial?: boolean;
  };
  runners: readonly { connected: boolean; draining: boolean }[];
  testIssue: Pick<Issue, 'identifier' | 'status' | 'reason' | 'pullRequestUrl'> | null;
  /** A script worked on it. */
  testIssueOnTrial?: boolean;
};

const TRACKERS: Record<string, string> = {
  local: 'The built-in tracker',
  linear: 'Linear',
  github: 'GitHub issues',
};

/** Which steps are done, in the order in which they make sense. */
export function judgeSteps(standing: SetupStanding): SetupStep[] {
  return [
    standing.masterKey.confirmed
      ? step('master_key', true, 'A copy is kept elsewhere')
      : step('master_key', false, 'Not confirmed yet: a copy of the master key'),
    judgeTracker(standing.tracker),
    judgeRepository(standing.routes),
    judgeProvider(standing.provider),
    judgeCodeHost(standing.routes),
    judgeRunner(standing.runners),
    judgeIssue(standing.testIssue, standing.testIssueOnTrial),
  ];
}

function step(name: SetupStep['step'], done: boolean, summary: string): SetupStep {
  return { step: name, done, summary };
}

function judgeTracker({ kind, hasKey }: SetupStanding['tracker']): SetupStep {
  const name = TRACKERS[kind] ?? kind;
  return hasKey ? step('tracker', true, name) : step('tracker', false, `${name}: no key is set`);
}

function judgeRepository(routes: SetupStanding['routes']): SetupStep {
  if (routes.length === 0) return step('repository', false, 'No repository yet');
  const [first] = routes;
  const more = routes.length > 1 ? ` and ${routes.length - 1} more` : '';
  return step('repository', true, `${first?.url ?? ''}${more}`);
}

function judgeProvider({
  name,
  model,
  hasKey,
  isPublic,
  onTrial = false,
}: SetupStanding['provider']): SetupStep {
  if (onTrial) return step('provider', true, 'On trial without a model');
  return hasKey || !isPublic
    ? step('provider', true, `${name}, ${model}`)
    : step('provider', false, `${name}: no key is set`);
}

function judgeCodeHost(routes: SetupStanding['routes']): SetupStep {
  if (routes.length === 0) return step('code_host', false, 'Depends on the repository');
  const stranger = routes.find(({ host }) => host === null);
  if (stranger !== undefined) {
    return step('code_host', false, `No code host takes pull requests of ${stranger.url}`);
  }
  const kinds = [...new Set(routes.map(({ host }) => (host === 'local' ? 'Built in' : 'GitHub')))];
  return step('code_host', true, kinds.join(' and '));
}

function judgeRunner(runners: SetupStanding['runners']): SetupStep {
  const here = runners.filter(({ connected }) => connected);
  if (here.length === 0) {
    return step('runner', false, runners.length === 0 ? 'No runner yet' : 'No runner is connected');
  }
  return here.every(({ draining }) => draining)
    ? step('runner', false, 'All runners are draining')
    : step('runner', true, `${here.length} connected`);
}

function judgeIssue(issue: SetupStanding['testIssue'], onTrial = false): SetupStep {
  if (issue === null) return step('issue', false, 'Not tried yet');
  const { identifier, status, reason } = issue;
  if (status === 'completed') {
    const end = issue.pullRequestUrl === null ? 'completed' : 'became a pull request';
    return step('issue', true, `${identifier} ${end}${onTrial ? SCRIPTED_SUFFIX : ''}`);
  }
  const why = reason === null ? '' : `: ${reason}`;
  return step('issue', false, `${identifier} is ${status}${why}`);
}
