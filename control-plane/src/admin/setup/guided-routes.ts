import { Issue } from '@switchyard/shared/api/work/issue';
import {
  ConfirmMasterKey,
  ConnectGitHub,
  ConnectProvider,
  CreateTestIssue,
  GitHubConnected,
  ListProviderModels,
  ProviderConnected,
  ProviderModels,
  SetupCheck,
  SetupCheckRequest,
  SetupOverview,
  type SetupStep,
  type SetupStepName,
} from '@switchyard/shared/api/admin/setup';
import type { Deps } from '../../deps.ts';
import type { Caller } from '../../http/caller/caller.ts';
import { confirmMasterKey } from './confirm-master-key.ts';
import { connectGitHub } from './tracker/connect-github.ts';
import { connectProvider } from './connect-provider.ts';
import { endpoint, json } from '../../http/endpoint/endpoint.ts';
import { listProviderModels } from './provider/list-provider-models.ts';
import type { SetupReading } from './read-setup.ts';
import type { SetupDeps } from './setup-deps.ts';

export type GuidedDeps = Pick<Deps, 'db' | 'clock' | 'masterKeys'> & {
  readSetup: () => Promise<SetupReading>;
  checkSetup: (step: SetupStepName) => Promise<SetupCheck>;
  /** Starts the checks that are due. */
  checkDueSteps: (steps: readonly SetupStep[], unlooked: SetupReading['unlooked']) => void;
};

const REFUSALS = {
  409: 'The secret cannot be kept, or the configuration is being changed by others',
  502: 'It cannot be reached, or refused',
};

/** Routes that show the guided setup and check its steps. */
export function guidedSetupRoutes(deps: GuidedDeps) {
  return [
    endpoint({
      at: 'GET /api/v1/setup',
      summary: 'Where the setup stands, step by step',
      description:
        'A step that is set and was not checked since is `waiting`, and its check begins with this request.',
      answer: json(200, 'The steps', SetupOverview),
      handler: async () => {
        const { setup, unlooked } = await deps.readSetup();
        deps.checkDueSteps(setup.steps, unlooked);
        return setup;
      },
    }),
    endpoint({
      at: 'POST /api/v1/setup/check',
      summary: 'Look at the real thing behind a step, and keep what was found',
      description:
        'What an upstream refuses is the answer, in its own words; a step is done once its check has passed. The list of models that a provider gives is remembered.',
      body: SetupCheckRequest,
      answer: json(200, 'What was found', SetupCheck),
      handler: ({ body }) => deps.checkSetup(body.step),
    }),
    endpoint({
      at: 'POST /api/v1/setup/master-key/confirm',
      summary: 'Say that a copy of the master key is kept; a copy that is given is compared',
      body: ConfirmMasterKey,
      answer: json(200, 'The steps', SetupOverview),
      refusals: { 422: 'The copy is of another key' },
      handler: async ({ body, caller }) => {
        await confirmMasterKey(deps, { ...body, caller });
        return (await deps.readSetup()).setup;
      },
    }),
  ] as const;
}

/** Routes that connect GitHub and a model provider. */
export function setupConnectRoutes(deps: SetupDeps) {
  return [
    endpoint({
      at: 'POST /api/v1/setup/github',
      summary: 'Connect GitHub by a token',
      body: ConnectGitHub,
      answer: json(200, 'Connected', GitHubConnected),
      refusals: REFUSALS,
      handler: ({ body, caller }) => connectGitHub(deps, { ...body, caller }),
    }),
    endpoint({
      at: 'POST /api/v1/setup/provider/models',
      summary: 'Ask a model provider for its models, in its format; keeps nothing',
      body: ListProviderModels,
      answer: json(200, 'What it offers', ProviderModels),
      refusals: REFUSALS,
      handler: ({ body }) => listProviderModels(deps, body),
    }),
    endpoint({
      at: 'POST /api/v1/setup/provider',
      summary: 'Set the model provider once it has answered',
      body: ConnectProvider,
      answer: json(200, 'Connected', ProviderConnected),
      refusals: REFUSALS,
      handler: ({ body, caller }) => connectProvider(deps, { ...body, caller }),
    }),
  ] as const;
}

/** The route that creates the issue of the guided setup. */
export function testIssueRoutes(
  createTestIssue: (input: CreateTestIssue & { caller: Caller }) => Promise<Issue>,
) {
  return [
    endpoint({
      at: 'POST /api/v1/setup/test-issue',
      summary: 'Create an issue that tries the whole way to a pull request',
      body: CreateTestIssue,
      answer: json(201, 'The issue', Issue),
      refusals: {
        409: 'Its identifiers belong to another tracker',
        422: 'No repository route takes it',
      },
      handler: ({ body, caller }) => createTestIssue({ ...body, caller }),
    }),
  ] as const;
}
