import type { SetupStepName } from '@switchyard/shared/api/admin/setup';
import type { ComponentType } from 'preact';
import { CodeHostStep } from './steps/code-host-step.tsx';
import { IssueStep } from './steps/issue-step.tsx';
import { MasterKeyStep } from './steps/master-key-step.tsx';
import { ProviderStep } from './steps/provider-step.tsx';
import type { Setup } from './queries.ts';
import { RepositoryStep } from './steps/repository-step.tsx';
import { RunnerStep } from './steps/runner-step.tsx';
import { TrackerStep } from './steps/tracker-step.tsx';

type Step = {
  name: SetupStepName;
  title: string;
  /** What it is for, in one sentence. */
  about: string;
  body: ComponentType<{ setup: Setup }>;
};

export const FIRST_STEP: Step = {
  name: 'master_key',
  title: 'Master key',
  about: 'Encrypts all secrets. Without it they cannot be recovered, so keep a backup elsewhere.',
  body: MasterKeyStep,
};

/** The steps in the order in which they make sense; any may be taken at any time. */
export const STEPS: readonly Step[] = [
  FIRST_STEP,
  {
    name: 'tracker',
    title: 'Tracker',
    about: 'Where issues come from and where progress is reported.',
    body: TrackerStep,
  },
  {
    name: 'repository',
    title: 'Repository',
    about: 'Which repository an issue belongs to, matched by label first, then by prefix.',
    body: RepositoryStep,
  },
  {
    name: 'provider',
    title: 'Model provider',
    about: 'Choose a model provider. Its key never reaches an agent.',
    body: ProviderStep,
  },
  {
    name: 'code_host',
    title: 'Code host',
    about: 'Where pull requests are opened.',
    body: CodeHostStep,
  },
  {
    name: 'runner',
    title: 'Runner',
    about: 'The machine that runs the agents.',
    body: RunnerStep,
  },
  {
    name: 'issue',
    title: 'Test issue',
    about: 'Runs one small issue end to end, from the tracker to a pull request.',
    body: IssueStep,
  },
];
