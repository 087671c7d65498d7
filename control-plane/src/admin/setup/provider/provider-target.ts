import {
  HOSTED_PROVIDERS,
  isHosted,
  providerAddress,
} from '@switchyard/shared/model-providers/hosted-providers';
import { WireApi } from '@switchyard/shared/model-providers/wire-api';
import { engineKeyValue } from '../../../config/provider/engine-key.ts';
import { keyBelow } from '../../../config/provider/key-below.ts';
import {
  recordedAt,
  type RecordedProviders,
  readRecordedProviders,
} from '../../../config/provider/recorded-providers.ts';
import { secretValue } from '../../../config/resolve-secret.ts';
import type { EffectiveConfig } from '../../../config/schema/config-schema.ts';
import { acceptSecret } from '../../../config/secrets/accept-secret.ts';
import type { SetupDeps } from '../setup-deps.ts';

/** A provider as a person enters it; what is left out is as it was configured for the address. */
export type GivenProvider = {
  name?: string | undefined;
  baseUrl?: string | undefined;
  wireApi?: WireApi | undefined;
  model?: string | undefined;
  apiKey?: string | undefined;
};

/** A provider that is about to be checked or configured. */
export type ProviderTarget = {
  name: string;
  baseUrl: string;
  wireApi: WireApi;
  model: string;
  /** The address is the configured one. */
  isHere: boolean;
  /** The key that was just entered; undefined when none was. */
  given: string | undefined;
  /**
   * The key for the request: the entered one, else the one that was stored for this address; null:
   * none.
   */
  apiKey: string | null;
  config: EffectiveConfig;
  known: RecordedProviders;
};

/** Resolves an entered provider: a key belongs to its address and is never used for another one. */
export async function readTarget(
  deps: Pick<SetupDeps, 'config' | 'db' | 'resolveSecret'>,
  input: GivenProvider,
): Promise<ProviderTarget> {
  const given = input.apiKey === undefined ? undefined : acceptSecret(input.apiKey);
  const [config, known] = await Promise.all([deps.config.load(), readRecordedProviders(deps.db)]);
  const { provider, model } = config.engine;
  const baseUrl = input.baseUrl ?? provider.baseUrl;
  const isHere = providerAddress(baseUrl) === providerAddress(provider.baseUrl);
  const before = isHere ? { ...provider, model } : recordedAt(known, baseUrl);
  const wireApi = input.wireApi ?? before?.wireApi ?? formatAt(baseUrl) ?? provider.wireApi;
  const apiKey = given ?? (await presentKey(deps, { config, known, baseUrl, isHere }));
  return {
    name: input.name ?? before?.name ?? nameAt(baseUrl, wireApi),
    baseUrl,
    wireApi,
    model: input.model ?? before?.model ?? model,
    isHere,
    given,
    apiKey,
    config,
    known,
  };
}

async function presentKey(
  { config: store, resolveSecret }: Pick<SetupDeps, 'config' | 'resolveSecret'>,
  {
    config,
    known,
    baseUrl,
    isHere,
  }: Pick<ProviderTarget, 'config' | 'known' | 'baseUrl' | 'isHere'>,
): Promise<string | null> {
  if (isHere) return secretValue(engineKeyValue(config), resolveSecret);
  const secret = recordedAt(known, baseUrl)?.secret ?? null;
  const stored = secret === null ? null : await resolveSecret(secret);
  return stored ?? secretValue(keyBelow(store, baseUrl) ?? '', resolveSecret);
}

/** The usual wire format of a hosted provider's address; undefined for any other address. */
function formatAt(baseUrl: string): WireApi | undefined {
  const address = providerAddress(baseUrl);
  return WireApi.options.find((wireApi) => HOSTED_PROVIDERS[wireApi].baseUrl === address);
}

function nameAt(baseUrl: string, wireApi: WireApi): string {
  return isHosted(baseUrl)
    ? HOSTED_PROVIDERS[formatAt(baseUrl) ?? wireApi].name
    : new URL(baseUrl).host;
}
