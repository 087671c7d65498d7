import { HOSTED_PROVIDERS } from '@switchyard/shared/model-providers/hosted-providers';
import { WireApi } from '@switchyard/shared/model-providers/wire-api';
import { SECRET_REFERENCE } from '@switchyard/shared/settings/secret-reference';
import { z } from 'zod';
import { filledText, listOf, secretText } from '../../bounds/text.ts';
import { uniqueNames } from '../../bounds/unique-names.ts';

/** Name of the choice that `engine.name`, `model` and `provider` form in a chain. */
export const DEFAULT_CHOICE = 'default';

const MAX_CHOICES = 50;
const ShortText = filledText(500);

const Name = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._/-]*$/, 'letters, digits, dot, dash, underscore and slash only')
  .max(100);
const ChoiceName = Name.refine((name) => name !== DEFAULT_CHOICE, {
  error: `"${DEFAULT_CHOICE}" stands for engine.name, engine.model and engine.provider`,
});
const EngineName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,39}$/, 'lower-case letters, digits and dashes only, at most 40');

/** The address of a model provider, without a key. */
const address = {
  name: ShortText.default('openai').describe('Name of the model provider.'),
  baseUrl: z
    .url({ protocol: /^https?$/ })
    .max(2_048)
    .default(HOSTED_PROVIDERS.responses.baseUrl)
    .describe('Address of the provider or of an endpoint that speaks like one.'),
  wireApi: WireApi.default('responses').describe(
    'Format of its API: responses, chat (Chat Completions), messages (Anthropic) or gemini.',
  ),
};

export const ProviderSection = z.strictObject({
  ...address,
  apiKey: secretText()
    .nullable()
    .optional()
    .describe('Key of the provider, usually $SECRET:NAME; null: this address takes none.'),
});

const Account = z.strictObject({
  name: Name.describe('Name by which choices refer to it.'),
  provider: z
    .strictObject({
      ...address,
      apiKey: z
        .string()
        .regex(SECRET_REFERENCE, 'must be $SECRET:NAME')
        .optional()
        .describe('Key of this account, as $SECRET:NAME.'),
    })
    .describe('Where models are asked with this account.'),
});

const Choice = z.strictObject({
  name: ChoiceName.describe('Name in rules, chains and on issues, for example claude/opus.'),
  engine: EngineName.describe('Agent engine by name.'),
  model: ShortText.describe('Model that the engine asks for.'),
  reasoningEffort: ShortText.optional().describe('Reasoning effort, as the provider spells it.'),
  account: Name.optional().describe('One of engine.accounts; left out: engine.provider.'),
});

/** The names of a chain; a repeated name would return to a choice that has just failed. */
const Chain = listOf(Name, MAX_CHOICES).superRefine((names, context) => {
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) === index) continue;
    const message = `${name} is in the chain already`;
    context.addIssue({ code: 'custom', path: [index], message });
  }
});

const Rule = z
  .strictObject({
    labels: listOf(filledText(200), 50).optional().describe('The issue has one of these labels.'),
    states: listOf(filledText(200), 50)
      .optional()
      .describe('It is in one of these tracker states.'),
    repositories: listOf(filledText(2_048), 50)
      .optional()
      .describe('It belongs to one of these repositories, by the url of `repos`.'),
    templates: listOf(filledText(64), 50)
      .optional()
      .describe('Its prompt template has one of these ids.'),
    automations: listOf(filledText(100), 50)
      .optional()
      .describe('One of these automations made it.'),
    use: Name.optional().describe('Choice that comes first.'),
    failover: Chain.optional().describe('Chain of these issues; left out: engine.failover.'),
  })
  .refine(({ use, failover = [] }) => use !== undefined || failover.length > 0, {
    message: 'needs use or failover',
  });

/**
 * The parts of `engine.*` that define further engines, models and accounts, and when each is used.
 */
export const engineChoices = {
  accounts: listOf(Account, MAX_CHOICES)
    .superRefine(uniqueNames('an account'))
    .default([])
    .describe('Further accounts of model providers, several of one provider too.'),
  choices: listOf(Choice, MAX_CHOICES)
    .superRefine(uniqueNames('a choice'))
    .default([])
    .describe('Engines with a model and an account, by name.'),
  rules: listOf(Rule, 200)
    .default([])
    .describe('Which choice an issue begins with: the first rule whose conditions all hold.'),
  failover: Chain.default([]).describe(
    'Choices in the order in which they are tried: the first is that of issues without a rule, a later one goes on when an account is out of quota, refuses its key or cannot be reached. Left out: default, that is engine.name, model and provider.',
  ),
};
