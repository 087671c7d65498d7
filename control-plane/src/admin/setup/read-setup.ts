import type { SetupOverview, SetupStep, SetupStepName } from '@switchyard/shared/api/admin/setup';
import { isHosted } from '@switchyard/shared/model-providers/hosted-providers';
import { engineKeyValue } from '../../config/provider/engine-key.ts';
import { keyBelow } from '../../config/provider/key-below.ts';
import {
  type RecordedProviders,
  readRecordedProviders,
} from '../../config/provider/recorded-providers.ts';
import { modelWarning, readOfferedModels } from '../../config/provider/offered-models.ts';
import { engineName } from '../../config/sections/routing/format-problem.ts';
import type { RunnerRow } from '../../db/schema/runners/runners.ts';
import type { EffectiveConfig } from '../../config/schema/config-schema.ts';
import type { Deps } from '../../deps.ts';
import { isSecretReference, referredSecret } from '@switchyard/shared/settings/secret-reference';
import { issueRecord } from '../../issues/issue-record.ts';
import { issueByIdentifier } from '../../issues/queries.ts';
import { allRunners } from '../../runners/queries.ts';
import { secretByKey } from '../../config/secrets/queries.ts';
import { lastCompletedAtMs } from '../../attempts/queries.ts';
import { type CheckOutcomes, readOutcomes } from './checks/check-outcomes.ts';
import { CHECKED_STEPS, type CheckedStep, checkSubjects } from './checks/check-subjects.ts';
import { judgeSteps } from './decide.ts';
import { providerFormats } from './provider/provider-formats.ts';
import { readSetupFacts } from './setup-facts.ts';
import { TRACKER_SIGN_IN_SECRET } from './tracker/tracker-secrets.ts';

type ReadDeps = Pick<Deps, 'db' | 'config' | 'masterKeys' | 'service' | 'codeHosts'> & {
  settings: { prefix(): string };
};

export type SetupReading = {
  setup: SetupOverview;
  /** Steps whose present settings were not checked. */
  unlooked: ReadonlySet<SetupStepName>;
};

/**
 * The state of the setup up to a first pull request, from rows, configuration and the last checks.
 */
export async function readSetup(deps: ReadDeps): Promise<SetupReading> {
  const config = await deps.config.load();
  const [facts, runners, hasKey, signIn, masterKey, outcomes, provenAtMs] = await Promise.all([
    readSetupFacts(deps.db),
    allRunners(deps.db),
    hasSecret(deps, engineKeyValue(config)),
    secretByKey(deps.db, TRACKER_SIGN_IN_SECRET),
    deps.masterKeys.current(),
    readOutcomes(deps.db),
    lastCompletedAtMs(deps.db),
  ]);
  const subjects = await checkSubjects(deps.db, { config, runners });
  const looks = compareLooks(outcomes, subjects);
  const row = facts.testIssue === null ? null : await issueByIdentifier(deps.db, facts.testIssue);
  const testIssue = row === null ? null : issueRecord(row, deps.service.publicOrigin);
  const testIssueOnTrial = row?.on_trial ?? false;
  const confirmed = facts.masterKey?.keyId === masterKey.id ? facts.masterKey : null;
  const standing = await providerStanding(deps, { config, runners, hasKey });
  const { name, model, onTrial, warning } = standing;
  const steps: SetupStep[] = judgeSteps({
    masterKey: { confirmed: confirmed !== null },
    tracker: trackerFacts(config),
    routes: config.repos.map((route) => ({
      url: route.url,
      host: deps.codeHosts.find((host) => host.serves(route.url))?.kind ?? null,
    })),
    provider: { name, model, hasKey, isPublic: isPublic(config), onTrial, warning },
    runners: runners
      .filter((runner) => runner.revoked_at_ms === null)
      .map(({ connected, draining }) => ({ connected, draining })),
    testIssue,
    testIssueOnTrial,
    checks: looks.present,
    changed: looks.changed,
    provenAtMs,
  });
  const setup = {
    steps,
    masterKey: {
      keyId: masterKey.id,
      keptIn: deps.masterKeys.renew === null ? 'environment' : 'file',
      confirmedAt: confirmed === null ? null : new Date(confirmed.atMs).toISOString(),
    },
    tracker: { kind: config.tracker.kind, signInPending: signIn !== null },
    provider: standing,
    localPrefix: deps.settings.prefix(),
    firstRepository: config.repos[0]?.url ?? null,
    testIssue,
    testIssueOnTrial,
  } satisfies SetupOverview;
  return { setup, unlooked: looks.unlooked };
}

/** Steps whose state rows show; only a check of the step starts an engine. */
const SHOWN_BY_ROWS: readonly SetupStepName[] = ['runner'];

/** The checks of the present settings, and the steps without one. */
function compareLooks(outcomes: CheckOutcomes, subjects: Record<CheckedStep, string>) {
  const present: CheckOutcomes = {};
  const changed = new Set<SetupStepName>();
  const unlooked = new Set<SetupStepName>();
  for (const name of CHECKED_STEPS) {
    const outcome = outcomes[name];
    if (outcome?.subject === subjects[name]) present[name] = outcome;
    else {
      if (outcome !== undefined) changed.add(name);
      if (!SHOWN_BY_ROWS.includes(name)) unlooked.add(name);
    }
  }
  return { present, changed, unlooked };
}

/** The provider in use with its model's warning, and the other providers to choose from. */
async function providerStanding(
  { db, config: store }: Pick<ReadDeps, 'db' | 'config'>,
  given: { config: EffectiveConfig; runners: readonly RunnerRow[]; hasKey: boolean },
): Promise<SetupOverview['provider']> {
  const { config, runners, hasKey } = given;
  const { provider, model, trial } = config.engine;
  const { name, baseUrl, wireApi } = provider;
  const [offered, known] = await Promise.all([readOfferedModels(db), readRecordedProviders(db)]);
  return {
    name,
    baseUrl,
    wireApi,
    model,
    hasKey,
    onTrial: trial,
    engine: engineName(config.engine.name),
    // During a trial the configured model is not used.
    warning: trial ? null : modelWarning(offered, { baseUrl, wireApi, model }),
    formats: providerFormats({
      present: { baseUrl, model, hasKey },
      runners,
      known: await withStoredKeys(db, known),
      hasKeyBelow: (address) => keyBelow(store, address) !== null,
    }),
  };
}

/** The remembered providers, without keys that a person has deleted since. */
async function withStoredKeys(
  db: ReadDeps['db'],
  known: RecordedProviders,
): Promise<RecordedProviders> {
  const entries = Object.entries(known).filter(([address]) => isHosted(address));
  const checked = entries.map(async ([address, { secret, ...provider }]) => {
    const isStored = secret !== null && (await secretByKey(db, secret)) !== null;
    return [address, { ...provider, secret: isStored ? secret : null }] as const;
  });
  return Object.fromEntries(await Promise.all(checked));
}

/** Whether a secret exists, without reading it, since a read would be logged. */
async function hasSecret({ db }: Pick<ReadDeps, 'db'>, value: string): Promise<boolean> {
  if (!isSecretReference(value)) return value !== '';
  return (await secretByKey(db, referredSecret(value))) !== null;
}

function trackerFacts({ tracker, codehost }: EffectiveConfig) {
  const { kind, linear, github } = tracker;
  const hasKey =
    kind === 'linear'
      ? linear?.apiKey !== undefined
      : kind === 'local' ||
        [github?.apiKey, codehost.github?.token, codehost.github?.appId].some(Boolean);
  return { kind, hasKey };
}

/**
 * Whether a provider needs a key: one on the internet does; a local one, or one configured without
 * a key, may not.
 */
function isPublic({ engine }: EffectiveConfig): boolean {
  const { apiKey, baseUrl } = engine.provider;
  // Configured without a key by a person, which a hosted provider does not accept.
  if (apiKey === null) return isHosted(baseUrl);
  const { hostname } = new URL(baseUrl);
  const isOwn = /^(localhost|127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|\[)/.test(hostname);
  return !isOwn && hostname.includes('.');
}
