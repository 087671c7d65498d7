import { providerAddress } from '@switchyard/shared/model-providers/hosted-providers';
import { WireApi } from '@switchyard/shared/model-providers/wire-api';
import { toHex } from '@switchyard/shared/text/to-hex';
import { z } from 'zod';
import type { Database, Statement } from '../../db/database.ts';
import { readFact } from '../../db/read-fact.ts';
import { setFact } from '../../db/set-fact.ts';
import { ENGINE_LOGIN_SECRET } from './engine-key.ts';

const RECORDED_PROVIDERS_FACT = 'known_providers';
/**
 * Limit on remembered providers; the least recently used is dropped first, and its key stays a
 * secret.
 */
const MAX_RECORDED_PROVIDERS = 50;
const HASH_BYTES = 4;

const RecordedProvider = z.object({
  name: z.string(),
  wireApi: WireApi,
  model: z.string(),
  /** Name of the secret with its key; null when no secret of its own holds one. */
  secret: z.string().nullable(),
});
const RecordedProviders = z.object({ providers: z.record(z.string(), RecordedProvider) });

/** The settings of an address that was replaced by another one. */
export type RecordedProvider = z.infer<typeof RecordedProvider>;
/** Providers by address, see `providerAddress`. */
export type RecordedProviders = Readonly<Record<string, RecordedProvider>>;

/**
 * All providers that were used before, so that a person can switch back without entering the key.
 */
export async function readRecordedProviders(db: Database): Promise<RecordedProviders> {
  const fact = RecordedProviders.safeParse(await readFact(db, RECORDED_PROVIDERS_FACT));
  return fact.success ? fact.data.providers : {};
}

/** The remembered provider of an address; null when there is none. */
export function recordedAt(known: RecordedProviders, baseUrl: string): RecordedProvider | null {
  const address = providerAddress(baseUrl);
  return Object.hasOwn(known, address) ? (known[address] ?? null) : null;
}

/** The statement that adds a provider to the remembered ones. */
export function rememberProvider(
  db: Database,
  nowMs: number,
  known: RecordedProviders,
  { baseUrl, provider }: { baseUrl: string; provider: RecordedProvider },
): Statement {
  const address = providerAddress(baseUrl);
  const others = Object.entries(known).filter(([other]) => other !== address);
  const providers = Object.fromEntries(
    [...others, [address, provider] as const].slice(-MAX_RECORDED_PROVIDERS),
  );
  return setFact(db, nowMs, RECORDED_PROVIDERS_FACT, { providers });
}

/** Name of the secret for the key of one address only. */
export async function secretNameOf(baseUrl: string): Promise<string> {
  const address = providerAddress(baseUrl);
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(address));
  const host = new URL(baseUrl).host.replaceAll(/[^A-Za-z0-9.-]/g, '-');
  // The name must fit into 200 characters.
  const [begin = ''] = /^.{0,100}/.exec(host) ?? [];
  const hash = toHex(new Uint8Array(digest, 0, HASH_BYTES));
  return `${ENGINE_LOGIN_SECRET}.${begin}.${hash}`;
}
