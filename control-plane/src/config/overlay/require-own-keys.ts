import { isSecretReference, referredSecret } from '@switchyard/shared/settings/secret-reference';
import { AppError } from '../../errors.ts';
import { engineKeyValue } from '../provider/engine-key.ts';
import type { EffectiveConfig } from '../schema/config-schema.ts';
import { isJsonObject, type JsonObject } from '../values/json-object.ts';
import { isSecretPath } from '../values/redact-config.ts';

/** Names of settings with an address to which the keys beside them are sent. */
const ADDRESS_NAMES = ['baseUrl', 'endpoint', 'url'];
/** Stands for the default address of a service, where none is set. */
const USUAL = 'its usual address';

/** A key with the address to which it is sent. */
type Pair = {
  /** Identifies the same pair in another configuration, whatever its position in a list. */
  id: string;
  keyPath: string;
  addressPath: string;
  key: string;
  /** Origin of the address, or `USUAL`. */
  origin: string;
};

type Change = {
  before: EffectiveConfig;
  after: EffectiveConfig;
  /** The configuration from base file and environment alone; null when it is invalid. */
  below: EffectiveConfig | null;
  /** Canonical paths to which the change itself gives a value. */
  gives: readonly string[];
  secretKeys: readonly string[];
};

/**
 * Makes sure that a key is sent only to the host for which it was set. Throws a 422 if a change
 * sets another address and keeps the key, or combines a key of another layer with a new address. A
 * key that the change itself sets belongs to the new address; a reference to a missing secret is
 * ignored.
 */
export function requireOwnKeys({ before, after, below, gives, secretKeys }: Change): void {
  const former = pairsOf(asSent(withLogin(before)));
  // The login's key belongs to the address at which it was entered, not to the default address, so
  // it is not added here.
  const inherited = below === null ? [] : pairsOf(asSent(below));
  for (const pair of pairsOf(asSent(withLogin(after)))) {
    const isSame = (other: Pair) => other.id === pair.id && other.key === pair.key;
    const homes = [...former, ...inherited].filter(isSame).map(({ origin }) => origin);
    const isGiven = gives.includes(pair.keyPath);
    if (isGiven || homes.length === 0 || homes.includes(pair.origin)) continue;
    if (!isInHand(pair.key, secretKeys)) continue;
    throw refusal(pair, homes[0] ?? USUAL);
  }
}

function refusal({ keyPath, addressPath, origin }: Pair, home: string): AppError {
  const parent = addressPath.split('.').slice(0, -1).join('.');
  const name = (path: string) => path.slice(parent.length + 1);
  // A list is replaced as a whole, so it is unknown whether one of its keys was set again.
  const isListed = parent.split('.').some((segment) => /^\d+$/.test(segment));
  const remedy = isListed
    ? 'Store the key under another name and give that, or remove the key first'
    : `Give address and key in one change: set ${parent} to an object with ` +
      `${name(addressPath)} and ${name(keyPath)} and what else it holds, or remove the key first`;
  const message =
    `${addressPath}: the key at ${keyPath} was set for ${home} and would be sent to ${origin}; ` +
    `nothing was changed. ${remedy}`;
  const details = [{ path: addressPath, message: 'its key is that of another host' }];
  return new AppError('unprocessable', message, { reason: 'key_of_other_host', details });
}

/** The configuration with the login's secret in place of a provider key that is left out. */
function withLogin(config: EffectiveConfig): EffectiveConfig {
  const { engine } = config;
  const provider = { ...engine.provider, apiKey: engineKeyValue(config) };
  return { ...config, engine: { ...engine, provider } };
}

/**
 * The configuration with effective addresses: a tracker without its own uses that of the code host
 * of the same kind.
 */
function asSent(config: EffectiveConfig): JsonObject {
  const { tracker, codehost }: Record<'tracker' | 'codehost', JsonObject> = config;
  const entries = Object.entries(tracker).map(([kind, own]) => {
    const host = codehost[kind];
    if (!isJsonObject(own) || !isJsonObject(host)) return [kind, own] as const;
    return [kind, { ...own, endpoint: own['endpoint'] ?? host['endpoint'] }] as const;
  });
  return { ...config, tracker: Object.fromEntries(entries) };
}

function isInHand(key: string, secretKeys: readonly string[]): boolean {
  return !isSecretReference(key) || secretKeys.includes(referredSecret(key));
}

function pairsOf(config: unknown, path: readonly string[] = [], id = ''): Pair[] {
  if (Array.isArray(config)) {
    return config.flatMap((item: unknown, index) => {
      const name: unknown = isJsonObject(item) ? item['name'] : undefined;
      const itemId = typeof name === 'string' ? `${id}[${name}]` : `${id}.${index}`;
      return pairsOf(item, [...path, String(index)], itemId);
    });
  }
  if (!isJsonObject(config)) return [];
  const inner = Object.entries(config).flatMap(([name, value]) =>
    pairsOf(value, [...path, name], `${id}.${name}`),
  );
  return [...pairsIn(config, path, id), ...inner];
}

function pairsIn(config: JsonObject, path: readonly string[], id: string): Pair[] {
  const at = (name: string) => [...path, name].join('.');
  const keys = Object.entries(config).filter(
    (entry): entry is [string, string] =>
      typeof entry[1] === 'string' && entry[1] !== '' && isSecretPath([...path, entry[0]]),
  );
  return keys.flatMap(([name, key]) =>
    ADDRESS_NAMES.map((addressName) => ({
      id: `${id}.${name}@${addressName}`,
      keyPath: at(name),
      addressPath: at(addressName),
      key,
      origin: originOf(config[addressName] ?? (addressName === 'url' ? config['endpoint'] : null)),
    })),
  );
}

function originOf(address: unknown): string {
  return typeof address === 'string' && URL.canParse(address) ? new URL(address).origin : USUAL;
}
