import { shownRepository } from '@switchyard/shared/text/repository-url';
import type { SetupCheck, SetupStepName } from '@switchyard/shared/api/admin/setup';
import { SCRIPTED_STANDING } from '@switchyard/shared/model-providers/scripted-model';
import type { GitHindrance } from '@switchyard/shared/api/git-hindrance';
import { EngineCapabilities } from '@switchyard/shared/api/engine';
import { UNUSABLE_ROUTE } from '../../config/route-problems.ts';
import { engineKeyValue } from '../../config/provider/engine-key.ts';
import { rememberOfferedModels } from '../../config/provider/offered-models.ts';
import { secretValue } from '../../config/resolve-secret.ts';
import type { Deps } from '../../deps.ts';
import { askEngine } from '../../runners/operations/ask-engine.ts';
import { AppError } from '../../errors.ts';
import { allRunners } from '../../runners/queries.ts';
import { connectedRunners } from '../../runners/session/connected-runners.ts';
import { createGetGitContext } from '../../runners/git/get-git-context.ts';
import { trackerFacts } from '../../config/integrations/tracker-facts.ts';
import { feedRows } from '../../inbox/queries.ts';
import { listRefusals } from '../../inbox/receive/refusals.ts';
import { TrackerError } from '../../ports/tracker/tracker.ts';
import type { UnreadableRecord } from '../../ports/tracker/unreadable-record.ts';
import { VIEWER } from '../../integrations/linear/api/documents.ts';
import { createLinearClient } from '../../integrations/linear/api/linear-client.ts';
import { LINEAR_TRACKER } from '../../integrations/linear/linear-settings.ts';
import { askProvider } from './ask-provider.ts';
import { providerCheck } from './provider/provider-check.ts';
import { keepOutcome, readOutcomes } from './checks/check-outcomes.ts';
import { type CheckedStep, checkSubjects, isCheckedStep } from './checks/check-subjects.ts';
import { checkCodeHosts } from './repositories/check-code-hosts.ts';
import { getSetup, type SetupDeps } from './get-setup.ts';
import { linearSettingsOf } from '../../integrations/linear/linear-settings-of.ts';

export type CheckDeps = Pick<
  Deps,
  'clock' | 'connections' | 'logger' | 'trackers' | 'db' | 'config' | 'resolveSecret' | 'codeHosts'
> &
  SetupDeps;

/** Unreadable issues named here; the tracker's health signal names further ones. */
const MAX_UNREADABLE_NOTES = 5;

type Finding = Omit<SetupCheck, 'step' | 'checkedAt'> & {
  /** False when the check could not run, so that its result is not stored. */
  isCheck?: boolean;
};

/**
 * Creates the check of setup steps against the real services: tracker, repository, provider, code
 * host and a runner's engine. A refusal is the result, in the service's own message. The result is
 * stored as the step's state, and a provider's list of models is remembered.
 */
export function createCheckSetup(deps: CheckDeps): (step: SetupStepName) => Promise<SetupCheck> {
  const gitContext = createGetGitContext(deps);
  const looks: Record<SetupStepName, () => Promise<Finding>> = {
    master_key: () => standing(deps, 'master_key'),
    tracker: () => checkTracker(deps),
    repository: () => checkRepositories(deps, gitContext),
    provider: () => checkProvider(deps),
    code_host: () => checkCodeHosts(deps),
    runner: () => checkRunner(deps),
    issue: () => standing(deps, 'issue'),
  };
  return async (step) => {
    // Read before the check: a setting changed meanwhile was not checked.
    const subject = isCheckedStep(step) ? await subjectOf(deps, step) : null;
    const { notes, isCheck = true, ...finding } = await looks[step]();
    const nowMs = deps.clock.nowMs();
    if (subject !== null && isCheck) {
      await keepFinding(deps, step, { subject, atMs: nowMs, ...finding });
    }
    const refused = await refusedDeliveries(deps, step, nowMs);
    const checkedAt = new Date(nowMs).toISOString();
    return { step, ...finding, notes: [...notes, ...refused], checkedAt };
  };
}

async function subjectOf(deps: Pick<CheckDeps, 'db' | 'config'>, step: CheckedStep) {
  const [config, runners] = await Promise.all([deps.config.load(), allRunners(deps.db)]);
  return (await checkSubjects(deps.db, { config, runners }))[step];
}

async function keepFinding(
  deps: Pick<CheckDeps, 'db' | 'service'>,
  step: SetupStepName,
  { warnings = [], ...found }: { subject: string; atMs: number } & Omit<Finding, 'notes'>,
): Promise<void> {
  // Only the leading instance writes.
  if (deps.service.role === 'standby') return;
  const before = (await readOutcomes(deps.db))[step];
  await deps.db.batch([keepOutcome(deps.db, step, { ...found, warnings }, before)]);
}

/** The state of steps that depend on rows only. */
async function standing(deps: CheckDeps, name: SetupStepName): Promise<Finding> {
  const { steps } = await getSetup(deps);
  const step = steps.find((each) => each.step === name);
  return { ok: step?.done ?? false, message: step?.summary ?? '', notes: [] };
}

/**
 * Webhooks for a step that were refused since the last accepted one; unidentified ones may be the
 * code host's.
 */
async function refusedDeliveries(
  deps: Pick<Deps, 'db' | 'config'>,
  step: SetupStepName,
  nowMs: number,
): Promise<string[]> {
  if (step !== 'tracker' && step !== 'code_host') return [];
  const { tracker } = await deps.config.load();
  const receiver = step === 'code_host' ? 'codehost' : trackerFacts(tracker.kind).deliveries;
  if (receiver === null) return [];
  const feed = (await feedRows(deps.db)).find(({ provider }) => provider === receiver);
  const sinceMs = feed?.last_delivery_at_ms ?? 0;
  return (await listRefusals(deps.db, nowMs))
    .filter(({ provider }) => provider === receiver || (provider === null && step === 'code_host'))
    .filter(({ lastAt }) => Date.parse(lastAt) > sinceMs)
    .map(({ lastAt, message }) => `A webhook delivery was refused at ${lastAt}: ${message}.`);
}

async function checkTracker(
  deps: Pick<Deps, 'clock' | 'config' | 'resolveSecret' | 'trackers'>,
): Promise<Finding> {
  const config = await deps.config.load();
  const { kind } = config.tracker;
  const tracker = deps.trackers.get(kind);
  if (tracker === undefined) return bad(`there is no tracker of the kind ${kind}`);
  try {
    const notes: string[] = [];
    if (kind === LINEAR_TRACKER) {
      const settings = linearSettingsOf(() => config, deps.resolveSecret);
      const ask = createLinearClient({ clock: deps.clock, settings });
      const { viewer, organization } = await ask(VIEWER, {});
      notes.push(`Signed in to ${organization.name} as ${viewer.name}.`);
    }
    const { active } = tracker.stateRoles();
    let unreadable = 0;
    const found = await tracker.fetchByStates(active, (record) => {
      unreadable += 1;
      if (unreadable <= MAX_UNREADABLE_NOTES) notes.push(unreadableText(record));
    });
    const words = `${found.length} ${found.length === 1 ? 'issue' : 'issues'} in ${active.join(', ')}`;
    return { ok: true, message: `The tracker answers: ${words}`, notes };
  } catch (error) {
    if (error instanceof TrackerError) return bad(error.message);
    throw error;
  }
}

function unreadableText({ name, id, problem }: UnreadableRecord): string {
  return `${name ?? id ?? 'An issue'} cannot be read and is left as it is (${problem}).`;
}

/** Checks which repositories runners reach; an unusable route counts as unreachable. */
async function checkRepositories(
  deps: Pick<Deps, 'config'>,
  gitContext: ReturnType<typeof createGetGitContext>,
): Promise<Finding> {
  const found = await checkRepositoriesBriefly(gitContext);
  const unusable = deps.config
    .problems()
    .flatMap(({ code, message }) => (code === UNUSABLE_ROUTE ? [message] : []));
  const [first] = unusable;
  if (first === undefined) return found;
  return { ...found, ok: false, message: first, notes: [...unusable, ...found.notes] };
}

async function checkRepositoriesBriefly(
  gitContext: ReturnType<typeof createGetGitContext>,
): Promise<Finding> {
  const { routes, branches, reason } = await gitContext();
  if (routes.length === 0) return bad('There is no repository yet');
  if (reason !== null) return { ...bad(`Nobody can look yet: ${reason}`), isCheck: false };
  const hindered = (of: GitHindrance['of']) =>
    routes.flatMap(({ hindrance }) => (hindrance?.of === of ? [hindrance.message] : []));
  const broken = routes.find((route) => route.head === null);
  const [noPush] = hindered('push');
  const notes = routes.map((route) => {
    const count = branches.filter(({ repository }) => repository === route.url).length;
    const found = `work starts from ${route.head}, ${count} ${count === 1 ? 'branch' : 'branches'}`;
    return `${shownRepository(route.url)}: ${route.head === null ? (route.reason ?? 'not reached') : found}`;
  });
  const warnings = [...new Set(hindered('merge'))];
  if (broken !== undefined) {
    return {
      ok: false,
      message: broken.reason ?? `${shownRepository(broken.url)} was not reached`,
      notes,
      warnings,
    };
  }
  return noPush === undefined
    ? { ok: true, message: 'A runner reaches every repository', notes, warnings }
    : { ok: false, message: noPush, notes, warnings };
}

async function checkProvider(
  deps: Pick<Deps, 'db' | 'clock' | 'config' | 'resolveSecret'>,
): Promise<Finding> {
  const config = await deps.config.load();
  const { baseUrl, wireApi } = config.engine.provider;
  const { model, trial } = config.engine;
  if (trial) return { ok: true, message: SCRIPTED_STANDING, notes: [] };
  const apiKey = await secretValue(engineKeyValue(config), deps.resolveSecret);
  const answer = await askProvider({ baseUrl, wireApi, apiKey });
  const { offered } = answer;
  if (offered !== null) {
    // Later warnings about the model use the newest list.
    const list = { baseUrl, wireApi, offered };
    await deps.db.batch([rememberOfferedModels(deps.db, deps.clock.nowMs(), list)]);
  }
  return providerCheck(answer, { baseUrl, wireApi, model });
}

/** A runner is useful only if its agent engine starts. */
async function checkRunner(
  deps: Pick<Deps, 'db' | 'clock' | 'connections' | 'logger' | 'config' | 'resolveSecret'>,
): Promise<Finding> {
  try {
    const operation = { op: 'capabilities' } as const;
    const { engine } = await askEngine(deps, EngineCapabilities, { operation });
    const count = (await connectedRunners(deps, [])).length;
    return {
      ok: true,
      message: `${count} connected`,
      notes: [`Its engine starts: ${engine.name} ${engine.version}.`],
    };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // A disconnected runner has not failed its check.
    const isCheck = (await connectedRunners(deps, [])).length > 0;
    return { ...bad(error.message), isCheck };
  }
}

function bad(message: string): Finding {
  return { ok: false, message, notes: [] };
}
