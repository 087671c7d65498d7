import { shownRepository } from '@switchyard/shared/text/repository-url';
import { SCRIPTED_SUFFIX } from '@switchyard/shared/model-providers/scripted-model';
import type { Issue } from '@switchyard/shared/api/work/issue';
import type { SetupStep, SetupStepName } from '@switchyard/shared/api/admin/setup';

/** The result of a step's last check with the present settings. */
type LastCheck = {
  ok: boolean;
  message: string;
  warnings: readonly string[];
  /**
   * When the present setting was first checked, epoch milliseconds; 0 for settings from before any
   * check.
   */
  sinceMs: number;
};

/** The facts by which setup steps are judged. */
export type SetupStanding = {
  masterKey: { confirmed: boolean };
  tracker: { kind: string; hasKey: boolean };
  /** `host`: kind of the code host that serves the repository; null when there is none. */
  routes: readonly { url: string; host: string | null }[];
  /** `isPublic`: the provider is on the internet and so needs a key. */
  provider: {
    name: string;
    model: string;
    hasKey: boolean;
    isPublic: boolean;
    /** A trial's scripted model is used instead. */
    onTrial?: boolean;
    /** A warning that the provider does not list the model; null or left out: none. */
    warning?: string | null;
  };
  runners: readonly { connected: boolean; draining: boolean }[];
  testIssue: Pick<Issue, 'identifier' | 'status' | 'reason' | 'pullRequestUrl'> | null;
  /** A trial's scripted model worked on the test issue. */
  testIssueOnTrial?: boolean;
  /** Results by step; a step is left out when its present settings were not checked. */
  checks: Partial<Record<SetupStepName, LastCheck>>;
  /** Steps that were checked before, with other settings. */
  changed: ReadonlySet<SetupStepName>;
  /**
   * When an agent last completed an issue, epoch milliseconds: provider, repository and runner
   * worked then.
   */
  provenAtMs: number | null;
};

const TRACKERS: Record<string, string> = {
  local: 'The built-in tracker',
  linear: 'Linear',
  github: 'GitHub issues',
};

/** A step's state, apart from whether it needs a person. */
type Judged = Omit<SetupStep, 'isMain' | 'done'>;

/** The state of each step: the main ones first, each in a sensible order. */
export function judgeSteps(standing: SetupStanding): SetupStep[] {
  const isElsewhere = standing.routes.some(({ host }) => host !== 'local');
  const judged: [step: Judged, isMain: (step: Judged) => boolean][] = [
    [judgeRepository(standing), () => true],
    [judgeCodeHost(standing), () => isElsewhere],
    [judgeProvider(standing), () => true],
    [judgeTracker(standing), isOpen],
    [judgeRunner(standing), isOpen],
    [judgeIssue(standing), () => true],
    // The service already has the key, so confirming a copy is only advice.
    [judgeMasterKey(standing), () => false],
  ];
  const steps = judged.map(([step, isMain]) => ({
    ...step,
    done: step.state === 'done',
    isMain: isMain(step),
  }));
  return steps.toSorted((a, b) => Number(b.isMain) - Number(a.isMain));
}

function isOpen({ state }: Judged): boolean {
  return state !== 'done';
}

function step(
  name: SetupStepName,
  state: SetupStep['state'],
  summary: string,
  warnings: readonly string[] = [],
): Judged {
  return { step: name, state, summary, warnings: [...warnings] };
}

/**
 * A configured step is done once its check has passed. A step that was never checked is also done
 * if an agent has completed an issue, so that a working service needs nothing after an upgrade.
 */
function judgeChecked(
  { checks, changed, provenAtMs }: SetupStanding,
  name: SetupStepName,
  summaries: { set: string; waiting: string },
): Judged {
  const check = checks[name];
  if (check === undefined) {
    return provenAtMs === null || changed.has(name)
      ? step(name, 'waiting', summaries.waiting)
      : step(name, 'done', summaries.set);
  }
  return check.ok
    ? step(name, 'done', summaries.set, check.warnings)
    : step(name, 'failed', check.message);
}

function judgeMasterKey({ masterKey }: SetupStanding): Judged {
  return masterKey.confirmed
    ? step('master_key', 'done', 'A copy is kept elsewhere')
    : step('master_key', 'todo', 'Not confirmed yet: a copy of the master key');
}

function judgeTracker(standing: SetupStanding): Judged {
  const { kind, hasKey } = standing.tracker;
  const name = TRACKERS[kind] ?? kind;
  if (kind === 'local') return step('tracker', 'done', name);
  if (!hasKey) return step('tracker', 'todo', `${name}: no key is set`);
  return judgeChecked(standing, 'tracker', { set: name, waiting: `${name}: not checked yet` });
}

function judgeRepository(standing: SetupStanding): Judged {
  const { routes, runners } = standing;
  const [first] = routes;
  if (first === undefined) return step('repository', 'todo', 'No repository yet');
  const more = routes.length > 1 ? ` and ${routes.length - 1} more` : '';
  const set = `${shownRepository(first.url)}${more}`;
  const why = runners.some(({ connected }) => connected)
    ? 'not checked yet'
    : 'waits for a runner that looks at it; none is connected';
  return judgeChecked(standing, 'repository', { set, waiting: `${set}: ${why}` });
}

function judgeProvider(standing: SetupStanding): Judged {
  const { name, model, hasKey, isPublic, onTrial = false, warning = null } = standing.provider;
  if (onTrial) return step('provider', 'done', 'On trial without a model');
  if (!hasKey && isPublic) return step('provider', 'todo', `${name}: no key is set`);
  const summaries = { set: `${name}, ${model}`, waiting: `${name}: not checked yet` };
  const { provenAtMs, checks } = standing;
  // Perhaps only runners reach the provider: completed work counts more than this check.
  const isProven = provenAtMs !== null && provenAtMs > (checks.provider?.sinceMs ?? 0);
  const judged =
    isProven && checks.provider?.ok !== true
      ? step('provider', 'done', summaries.set)
      : judgeChecked(standing, 'provider', summaries);
  // The newest list of models counts more than the one of the check.
  const warnings = judged.state === 'done' && warning !== null ? [warning] : [];
  return { ...judged, warnings };
}

function judgeCodeHost(standing: SetupStanding): Judged {
  const { routes } = standing;
  if (routes.length === 0) return step('code_host', 'todo', 'Depends on the repository');
  const stranger = routes.find(({ host }) => host === null);
  if (stranger !== undefined) {
    return step(
      'code_host',
      'todo',
      `No code host takes pull requests of ${shownRepository(stranger.url)}`,
    );
  }
  const kinds = [...new Set(routes.map(({ host }) => (host === 'local' ? 'Built in' : 'GitHub')))];
  const set = kinds.join(' and ');
  if (routes.every(({ host }) => host === 'local')) return step('code_host', 'done', set);
  return judgeChecked(standing, 'code_host', { set, waiting: `${set}: not checked yet` });
}

function judgeRunner({ runners, checks }: SetupStanding): Judged {
  const here = runners.filter(({ connected }) => connected);
  if (here.length === 0) {
    const summary = runners.length === 0 ? 'No runner yet' : 'No runner is connected';
    return step('runner', 'todo', summary);
  }
  if (here.every(({ draining }) => draining)) {
    return step('runner', 'todo', 'All runners are draining');
  }
  // The runner's connection was just checked; a check of its engine may exist.
  return checks.runner?.ok === false
    ? step('runner', 'failed', checks.runner.message)
    : step('runner', 'done', `${here.length} connected`);
}

function judgeIssue(standing: SetupStanding): Judged {
  const { testIssue: issue, testIssueOnTrial = false, provenAtMs, provider } = standing;
  if (issue?.status === 'completed') {
    const end = issue.pullRequestUrl === null ? 'completed' : 'became a pull request';
    const summary = `${issue.identifier} ${end}${testIssueOnTrial ? SCRIPTED_SUFFIX : ''}`;
    // Work of the scripted model says nothing about the provider that was connected since.
    return testIssueOnTrial && provenAtMs === null && provider.onTrial !== true
      ? step('issue', 'todo', `${summary}; no issue was completed with a model yet`)
      : step('issue', 'done', summary);
  }
  if (provenAtMs !== null) return step('issue', 'done', 'An agent has completed an issue');
  if (issue === null) return step('issue', 'todo', 'Not tried yet');
  const { identifier, status, reason } = issue;
  const why = reason === null ? '' : `: ${reason}`;
  return step('issue', 'todo', `${identifier} is ${status}${why}`);
}
