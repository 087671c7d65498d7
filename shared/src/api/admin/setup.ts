import { z } from 'zod';
import { EngineName } from '../../engine/runner-engine.ts';
import { WireApi } from '../../model-providers/wire-api.ts';
import { Issue } from '../work/issue.ts';
import { namedObject, strictNamedObject } from '../../named-object.ts';

/**
 * The steps from an empty service to a first pull request; the order is the service's to choose.
 */
export const SetupStepName = z
  .enum(['master_key', 'tracker', 'repository', 'provider', 'code_host', 'runner', 'issue'])
  .meta({ id: 'SetupStepName' });
export type SetupStepName = z.infer<typeof SetupStepName>;

/**
 * `failed`: set, and its last check failed. `waiting`: set, and not checked yet. A step that needs
 * no check is `done` once it is set.
 */
const SetupStepState = z.enum(['done', 'todo', 'waiting', 'failed']).meta({ id: 'SetupStepState' });
export type SetupStepState = z.infer<typeof SetupStepState>;

/** The state of one step, from the database, the configuration and the step's last check. */
export const SetupStep = namedObject('SetupStep', {
  step: SetupStepName,
  done: z.boolean(),
  state: SetupStepState,
  isMain: z
    .boolean()
    .describe('It needs a person before the first pull request; the others have a default.'),
  summary: z.string().describe('What is there, or what is missing, in words.'),
  warnings: z.array(z.string()).describe('What works, but not as one may expect, with what to do.'),
});
export type SetupStep = z.infer<typeof SetupStep>;

/** An API format of model providers, with the usual provider of that format. */
export const ProviderFormat = namedObject('ProviderFormat', {
  wireApi: WireApi,
  title: z.string().describe('As people call it.'),
  engines: z.array(z.string()).describe('Agent engines that speak it, those of runners first.'),
  hosted: z
    .object({
      title: z.string(),
      name: z.string(),
      baseUrl: z.string(),
      hasKey: z.boolean().describe('A key is kept for this address.'),
      model: z.string().nullable().describe('The one that was used there; null: none was.'),
    })
    .describe('The usual provider of this format.'),
});
export type ProviderFormat = z.infer<typeof ProviderFormat>;

/**
 * `GET /api/v1/setup`: everything that the setup wizard restores after an interruption. Never
 * contains a secret.
 */
export const SetupOverview = namedObject('SetupOverview', {
  steps: z.array(SetupStep).describe('The main ones first, each in the order that makes sense.'),
  masterKey: z.object({
    keyId: z.string().describe('Says which key it is and nothing about it.'),
    keptIn: z.enum(['file', 'environment']),
    confirmedAt: z.iso.datetime().nullable().describe('When a person said to have a copy.'),
  }),
  tracker: z.object({
    kind: z.string(),
    signInPending: z.boolean().describe('A sign-in has begun and not come back.'),
  }),
  provider: z.object({
    name: z.string(),
    baseUrl: z.string(),
    wireApi: WireApi.describe('Format in which it is asked.'),
    model: z.string(),
    hasKey: z.boolean(),
    onTrial: z
      .boolean()
      .describe('A scripted model answers in place of this provider: `engine.trial`.'),
    engine: z.string().describe('Agent engine that asks it.'),
    warning: z
      .string()
      .nullable()
      .describe('What is wrong with the model: the provider does not list it.'),
    formats: z.array(ProviderFormat).describe('Every format that a provider may speak.'),
  }),
  localPrefix: z.string().describe('What identifiers of the built-in tracker begin with.'),
  firstRepository: z.string().nullable().describe('Address of the first route.'),
  testIssue: Issue.nullable().describe(
    'The issue that tries the whole way; null before it is made.',
  ),
  testIssueOnTrial: z.boolean().describe('A scripted model worked on it: `engine.trial`.'),
});
export type SetupOverview = z.infer<typeof SetupOverview>;

export const SetupCheckRequest = strictNamedObject(
  'SetupCheckRequest',
  { step: SetupStepName },
  'Which step',
);

/**
 * The result of one check of a setup step against the real thing. A refusal by an upstream is a
 * result, not an error.
 */
export const SetupCheck = namedObject('SetupCheck', {
  step: SetupStepName,
  ok: z.boolean(),
  message: z.string().describe("In the upstream's own words where it refuses."),
  notes: z.array(z.string()).describe('Further facts, one per line.'),
  warnings: z
    .array(z.string())
    .optional()
    .describe('What works, but not as one may expect, with what to do.'),
  models: z
    .array(z.string())
    .nullable()
    .optional()
    .describe("Of the step provider alone: the provider's own list; null: it gave none."),
  checkedAt: z.iso.datetime(),
});
export type SetupCheck = z.infer<typeof SetupCheck>;

export const ConfirmMasterKey = strictNamedObject(
  'ConfirmMasterKey',
  {
    key: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('The copy, to be compared and forgotten; left out: taken at their word.'),
  },
  'The copy',
);

export const ConnectGitHub = strictNamedObject(
  'ConnectGitHub',
  {
    token: z.string().min(1).max(8_192).describe('A token that may write to the repositories.'),
    endpoint: z
      .url({ protocol: /^https?$/ })
      .max(2_048)
      .optional()
      .describe('Address of the API of a server of your own.'),
    asTracker: z.boolean().default(false).describe('Also poll its issues.'),
  },
  'The token',
);
export type ConnectGitHub = z.infer<typeof ConnectGitHub>;

export const GitHubConnected = namedObject('GitHubConnected', {
  login: z.string(),
  endpoint: z.string(),
  asTracker: z.boolean(),
});
export type GitHubConnected = z.infer<typeof GitHubConnected>;

export const ConnectProvider = strictNamedObject(
  'ConnectProvider',
  {
    name: z.string().min(1).max(100).optional(),
    baseUrl: z
      .url({ protocol: /^https?$/ })
      .max(2_048)
      .optional()
      .describe('Address of the provider; left out: as configured.'),
    wireApi: WireApi.optional().describe(
      'Format of its API; left out: the one that was set for this address, or is usual there.',
    ),
    engine: EngineName.optional().describe(
      'Agent engine, where another one is needed for the format; left out: as configured.',
    ),
    model: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .describe('Left out: the one that was used at this address, else the configured one.'),
    apiKey: z
      .string()
      .min(1)
      .max(8_192)
      .optional()
      .describe('Left out: the one that was given for this address.'),
    unchecked: z
      .boolean()
      .default(false)
      .describe('Keep it although the provider could not be asked or refused.'),
  },
  'The provider',
);
export type ConnectProvider = z.infer<typeof ConnectProvider>;

export const ListProviderModels = strictNamedObject(
  'ListProviderModels',
  {
    baseUrl: ConnectProvider.shape.baseUrl,
    wireApi: ConnectProvider.shape.wireApi,
    model: ConnectProvider.shape.model,
    apiKey: ConnectProvider.shape.apiKey,
  },
  'The provider',
);
export type ListProviderModels = z.infer<typeof ListProviderModels>;

/** The models of a provider that is not configured yet. */
export const ProviderModels = namedObject('ProviderModels', {
  baseUrl: z.string(),
  wireApi: WireApi,
  model: z.string().describe('The one that would be used.'),
  message: z.string(),
  notes: z.array(z.string()),
  warning: z
    .string()
    .nullable()
    .describe('What is wrong with that model; null: nothing is known to be.'),
  models: z.array(z.string()).nullable().describe('Null: the provider has no list; any name goes.'),
});
export type ProviderModels = z.infer<typeof ProviderModels>;

export const ProviderConnected = namedObject('ProviderConnected', {
  name: z.string(),
  baseUrl: z.string(),
  wireApi: WireApi,
  model: z.string(),
  check: SetupCheck,
});
export type ProviderConnected = z.infer<typeof ProviderConnected>;

export const CreateTestIssue = strictNamedObject(
  'CreateTestIssue',
  {
    title: z.string().trim().min(1).max(500).optional(),
    description: z.string().max(100_000).optional(),
  },
  'Its words',
);
export type CreateTestIssue = z.infer<typeof CreateTestIssue>;
