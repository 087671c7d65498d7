import { WIRE_API_NAMES } from '@switchyard/shared/engine/describe-abilities';
import type { WireApi } from '@switchyard/shared/model-providers/wire-api';
import type { ConnectProvider, ProviderConnected } from '@switchyard/shared/api/admin/setup';
import type { Caller } from '../../http/caller/caller.ts';
import { rememberProvider } from '../../config/provider/recorded-providers.ts';
import type { EffectiveConfig } from '../../config/schema/config-schema.ts';
import { rememberOfferedModels } from '../../config/provider/offered-models.ts';
import {
  engineName,
  enginesFor,
  formatProblem,
} from '../../config/sections/routing/format-problem.ts';
import { AppError } from '../../errors.ts';
import { askProvider } from './ask-provider.ts';
import { keyChange } from './provider/key-change.ts';
import { providerCheck } from './provider/provider-check.ts';
import { readTarget } from './provider/provider-target.ts';
import type { SetupDeps } from './setup-deps.ts';
import { storeSettings } from './store-settings.ts';

/**
 * Configures the model provider after it has answered: its key becomes a secret, and the former
 * provider keeps its own. Throws `bad_request` when the engine does not support the wire format,
 * and a 502 with the result of the request unless `unchecked`; then nothing is stored.
 */
export async function connectProvider(
  deps: SetupDeps,
  input: ConnectProvider & { caller: Caller },
): Promise<ProviderConnected> {
  const { caller } = input;
  const target = await readTarget(deps, input);
  const { name, baseUrl, wireApi, model, config } = target;
  const engine = input.engine ?? config.engine.name;
  requireFormat(engine, wireApi);
  const answer = await askProvider(target);
  if (!answer.ok && !input.unchecked) {
    // The message says whether the provider was unreachable, refused the key or failed.
    throw new AppError('upstream_failed', answer.message, { reason: 'provider_refused' });
  }
  const { secrets, setting, isInherited, left } = await keyChange(deps, target);
  const nowMs = deps.clock.nowMs();
  const { offered } = answer;
  await storeSettings(deps, {
    caller,
    operation: 'provider.connect',
    subject: name,
    secrets,
    also: [
      ...(left === null
        ? []
        : [
            rememberProvider(deps.db, nowMs, target.known, {
              baseUrl: config.engine.provider.baseUrl,
              provider: left,
            }),
          ]),
      ...(offered === null
        ? []
        : [rememberOfferedModels(deps.db, nowMs, { baseUrl, wireApi, offered })]),
    ],
    settings: {
      'engine.provider.name': name,
      ...(isInherited ? {} : { 'engine.provider.baseUrl': baseUrl }),
      'engine.provider.wireApi': wireApi,
      'engine.model': model,
      ...(input.engine === undefined ? {} : { 'engine.name': input.engine }),
      ...(setting === undefined ? {} : { 'engine.provider.apiKey': setting }),
    },
    // Connecting a provider ends a trial, also one that was started meanwhile. Without a trial
    // nothing is written, so that an older version can read the overlay.
    settingsNow: () =>
      Object.fromEntries(deps.config.latest().engine.trial ? [['engine.trial', false]] : []),
    requireUnchanged: () => requireProvider(deps, config.engine.provider),
    // Removed together: an address of one layer with a key of another could send the key to a
    // foreign host.
    unset: isInherited ? ['engine.provider.baseUrl', 'engine.provider.apiKey'] : [],
  });
  const check = providerCheck(answer, { baseUrl, wireApi, model });
  const checkedAt = new Date(nowMs).toISOString();
  return { name, baseUrl, wireApi, model, check: { step: 'provider', ...check, checkedAt } };
}

/**
 * Throws `conflict` when the provider was changed meanwhile: what was found and decided for the old
 * one, above all about its key, must not be stored with the new one.
 */
function requireProvider(
  { config }: Pick<SetupDeps, 'config'>,
  expected: EffectiveConfig['engine']['provider'],
): void {
  const present = config.latest().engine.provider;
  if (JSON.stringify(present) === JSON.stringify(expected)) return;
  throw new AppError(
    'conflict',
    'the model provider was changed by someone else while this one was asked; look at it, then connect again',
  );
}

/** Throws `bad_request` that names the engines for the wire format. */
function requireFormat(engine: string | undefined, wireApi: WireApi): void {
  if (formatProblem(engine, wireApi) === null) return;
  const others = enginesFor(wireApi).join(' or ');
  throw new AppError(
    'bad_request',
    `engine: the agent engine ${engineName(engine)} does not speak the format ${wireApi} ` +
      `(${WIRE_API_NAMES[wireApi]}); choose ${others}`,
    { reason: 'engine_format' },
  );
}
