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
  title: string;
  /** Purpose of the step, in one sentence. */
  about: string;
  body: ComponentType<{ setup: Setup }>;
};

/** Title and purpose of each step; the service determines their order. */
export const STEPS: Record<SetupStepName, Step> = {
  repository: {
    title: 'Repository',
    about: 'Where agents work: a repository on the runner’s machine, or on a code host.',
    body: RepositoryStep,
  },
  provider: {
    title: 'Model provider',
    about: 'Choose a model provider. Its key never reaches an agent.',
    body: ProviderStep,
  },
  issue: {
    title: 'First issue',
    about: 'One small issue goes all the way, from the tracker to a pull request.',
    body: IssueStep,
  },
  code_host: {
    title: 'Code host',
    about: 'Where pull requests are opened.',
    body: CodeHostStep,
  },
  tracker: {
    title: 'Tracker',
    about: 'Where issues come from and where progress is reported.',
    body: TrackerStep,
  },
  runner: {
    title: 'Runner',
    about: 'The machine that runs the agents.',
    body: RunnerStep,
  },
  master_key: {
    title: 'Master key',
    about: 'Encrypts all secrets. Without it they cannot be recovered, so keep a backup elsewhere.',
    body: MasterKeyStep,
  },
};
