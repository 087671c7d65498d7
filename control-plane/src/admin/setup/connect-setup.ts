import type { SetupStepName } from '@switchyard/shared/api/admin/setup';
import type { Deps } from '../../deps.ts';
import type { LocalTrackerSettings } from '../../integrations/local/tracker/local-tracker-deps.ts';
import { createGetGitContext } from '../../runners/git/get-git-context.ts';
import { createCheckDueSteps } from './checks/check-due-steps.ts';
import { checkProvider } from './checks/check-provider.ts';
import { checkRepositories } from './checks/check-repositories.ts';
import { checkRunner } from './checks/check-runner.ts';
import { checkTracker } from './checks/check-tracker.ts';
import { type Finding, findingByRows } from './checks/finding.ts';
import { checkSetup } from './check-setup.ts';
import type { GuidedDeps } from './guided-routes.ts';
import { readSetup } from './read-setup.ts';
import { checkCodeHosts } from './repositories/check-code-hosts.ts';

/** Binds the functions that read and check the setup to the core's dependencies. */
export function connectSetup(deps: Deps, settings: LocalTrackerSettings): GuidedDeps {
  const { db, clock, masterKeys } = deps;
  const read = () => readSetup({ ...deps, settings });
  const gitContext = createGetGitContext(deps);
  const checks: Record<SetupStepName, () => Promise<Finding>> = {
    master_key: async () => findingByRows((await read()).setup, 'master_key'),
    tracker: () => checkTracker(deps),
    repository: () => checkRepositories(deps, gitContext),
    provider: () => checkProvider(deps),
    code_host: () => checkCodeHosts(deps),
    runner: () => checkRunner(deps),
    issue: async () => findingByRows((await read()).setup, 'issue'),
  };
  const check = (step: SetupStepName) =>
    checkSetup({ ...deps, checkStep: (name) => checks[name]() }, step);
  const checkDueSteps = createCheckDueSteps(deps, check);
  return { db, clock, masterKeys, readSetup: read, checkSetup: check, checkDueSteps };
}
