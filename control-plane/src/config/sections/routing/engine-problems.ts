import {
  isScriptedAddress,
  isScriptedModel,
} from '@switchyard/shared/model-providers/scripted-model';
import type { WireApi } from '@switchyard/shared/model-providers/wire-api';
import { DEFAULT_CHOICE } from './engine-choices.ts';
import { formatProblem } from './format-problem.ts';

type Settings = {
  name?: string | undefined;
  model: string;
  provider: { baseUrl: string; wireApi: WireApi };
  accounts: readonly { name: string; provider: { baseUrl: string; wireApi: WireApi } }[];
  choices: readonly {
    name: string;
    engine: string;
    model: string;
    account?: string | undefined;
  }[];
  rules: readonly { use?: string | undefined; failover?: readonly string[] | undefined }[];
  failover: readonly string[];
};

export const RESERVED_FOR_TRIAL =
  'is reserved for the trial without a model: set engine.trial to true instead';

type Problem = { path: string; message: string };

type Reviewed = readonly { review?: { engine?: string | undefined } | undefined }[];

/**
 * Problems of `engine.*` as a whole: unknown names, also in the reviews of repositories, and engines
 * with a provider whose wire format they do not support.
 */
export function engineProblems(engine: Settings, repos: Reviewed = []): Problem[] {
  const own = formatProblem(engine.name, engine.provider.wireApi);
  return [
    ...(own === null ? [] : [{ path: 'engine.provider.wireApi', message: own }]),
    ...engine.choices.flatMap((choice, index) => choiceProblems(engine, choice, index)),
    ...unknownNames(engine, repos),
    ...reservedForTrial(engine),
  ];
}

/**
 * Refuses the names that mark a trial's work: otherwise a real model's work would look scripted.
 */
function reservedForTrial({ model, provider, accounts, choices }: Settings): Problem[] {
  const models = [
    { path: 'engine.model', model },
    ...choices.map((choice, index) => ({
      path: `engine.choices.${index}.model`,
      model: choice.model,
    })),
  ];
  const addresses = [
    { path: 'engine.provider.baseUrl', baseUrl: provider.baseUrl },
    ...accounts.map((account, index) => ({
      path: `engine.accounts.${index}.provider.baseUrl`,
      baseUrl: account.provider.baseUrl,
    })),
  ];
  return [
    ...models.filter((one) => isScriptedModel(one.model)),
    ...addresses.filter(({ baseUrl }) => isScriptedAddress(baseUrl)),
  ].map(({ path }) => ({ path, message: RESERVED_FOR_TRIAL }));
}

function choiceProblems(
  { accounts, provider }: Settings,
  { account, engine }: Settings['choices'][number],
  index: number,
): Problem[] {
  const path = `engine.choices.${index}`;
  const used = accounts.find(({ name }) => name === account);
  if (account !== undefined && used === undefined) {
    return [{ path: `${path}.account`, message: `no account is named ${account}` }];
  }
  const problem = formatProblem(engine, (used?.provider ?? provider).wireApi);
  if (problem === null) return [];
  const where = account === undefined ? 'engine.provider' : `the account ${account}`;
  return [{ path: `${path}.engine`, message: `wireApi of ${where} ${problem}` }];
}

function unknownNames({ choices, rules, failover }: Settings, repos: Reviewed): Problem[] {
  const known = new Set([DEFAULT_CHOICE, ...choices.map(({ name }) => name)]);
  const chain = (names: readonly string[], path: string) =>
    names.map((name, at) => ({ name, path: `${path}.${at}` }));
  const uses = rules.flatMap(({ use, failover: own = [] }, index) => [
    ...(use === undefined ? [] : [{ name: use, path: `engine.rules.${index}.use` }]),
    ...chain(own, `engine.rules.${index}.failover`),
  ]);
  const reviews = repos.flatMap(({ review }, index) =>
    review?.engine === undefined
      ? []
      : [{ name: review.engine, path: `repos.${index}.review.engine` }],
  );
  return [...uses, ...chain(failover, 'engine.failover'), ...reviews]
    .filter(({ name }) => !known.has(name))
    .map(({ name, path }) => ({ path, message: `no choice is named ${name}` }));
}
