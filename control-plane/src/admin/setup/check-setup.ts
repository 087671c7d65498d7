import type { SetupCheck, SetupStepName } from '@switchyard/shared/api/admin/setup';
import { trackerFacts } from '../../config/integrations/tracker-facts.ts';
import type { Deps } from '../../deps.ts';
import { feedRows } from '../../inbox/queries.ts';
import { listRefusals } from '../../inbox/receive/refusals.ts';
import { allRunners } from '../../runners/queries.ts';
import { keepOutcome, readOutcomes } from './checks/check-outcomes.ts';
import { type CheckedStep, checkSubjects, isCheckedStep } from './checks/check-subjects.ts';
import type { Finding } from './checks/finding.ts';

type CheckDeps = Pick<Deps, 'db' | 'clock' | 'config' | 'service'> & {
  /** Checks a step; what a real service refuses is the result. */
  checkStep: (step: SetupStepName) => Promise<Finding>;
};

/** Checks a step of the setup; if the check could run, its result is stored as the step's state. */
export async function checkSetup(deps: CheckDeps, step: SetupStepName): Promise<SetupCheck> {
  // Read before the check: a setting changed meanwhile was not checked.
  const subject = isCheckedStep(step) ? await subjectOf(deps, step) : null;
  const { notes, isCheck = true, ...finding } = await deps.checkStep(step);
  const nowMs = deps.clock.nowMs();
  if (subject !== null && isCheck) {
    await keepFinding(deps, step, { subject, atMs: nowMs, ...finding });
  }
  const refused = await refusedDeliveries(deps, step, nowMs);
  const checkedAt = new Date(nowMs).toISOString();
  return { step, ...finding, notes: [...notes, ...refused], checkedAt };
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
