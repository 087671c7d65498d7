import { providerAddress } from '@switchyard/shared/model-providers/hosted-providers';
import { WireApi } from '@switchyard/shared/model-providers/wire-api';
import { toHex } from '@switchyard/shared/text/to-hex';
import { z } from 'zod';
import type { Database, Statement } from '../../db/database.ts';
import { readFact } from '../../db/read-fact.ts';
import { setFact } from '../../db/set-fact.ts';
import { ENGINE_LOGIN_SECRET } from './engine-key.ts';

const RECORDED_PROVIDERS_FACT = 'known_providers';
/** Those that were left longest ago are forgotten first; their keys stay among the secrets. */
const MAX_RECORDED_PROVIDERS = 50;
const HASH_BYTES = 4;

const RecordedProvider = z.object({
  name: z.string(),
  wireApi: WireApi,
  model: z.string(),
  /** Name of the secret that is its key; null: it takes none. */
  secret: z.string().nullable(),
});
const RecordedProviders = z.object({ providers: z.record(z.string(), RecordedProvider) });

/** What was set for an address when another one took its place. */
export type RecordedProvider = z.infer<typeof RecordedProvider>;
/** By address, see `providerAddress`. */
export type RecordedProviders = Readonly<Record<string, RecordedProvider>>;

/** Every provider that was in use before, so that one can go back to it with its key. */
export async function readRecordedProviders(db: Database): Promise<RecordedProviders> {
  const fact = RecordedProviders.safeParse(await readFact(db, RECORDED_PROVIDERS_FACT));
  return fact.success ? fact.data.providers : {};
}

/** The provider of an address; null: none is known. */
export function recordedAt(known: RecordedProviders, baseUrl: string): RecordedProvider | null {
  const address = providerAddress(baseUrl);
  return Object.hasOwn(known, address) ? (known[address] ?? null) : null;
}

/** The statement that remembers a provider beside those that are known. */
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

/** Name of the secret that holds the key of an address and of no other. */
export async function secretNameOf(baseUrl: string): Promise<string> {
  const address = providerAddress(baseUrl);
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(address));
  const host = new URL(baseUrl).host.replaceAll(/[^A-Za-z0-9.-]/g, '-');
  // A name has at most 200 characters.
  const [begin = ''] = /^.{0,100}/.exec(host) ?? [];
  const hash = toHex(new Uint8Array(digest, 0, HASH_BYTES));
  return `${ENGINE_LOGIN_SECRET}.${begin}.${hash}`;
}
