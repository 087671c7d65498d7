import { describe, expect, it } from 'vitest';
import { mergeConfig } from '../overlay/merge-config.ts';
import { providerKey } from './provider-key.ts';

const BASE_URL = 'https://models.example/v1';
const account = (name: string, secret: string, baseUrl = BASE_URL) => ({
  name,
  provider: { name: 'p', baseUrl, wireApi: 'responses', apiKey: `$SECRET:${secret}` },
});

function configOf(engine: object) {
  const merged = mergeConfig([{ engine: { provider: { baseUrl: BASE_URL }, ...engine } }]);
  if (!merged.ok) throw new Error(merged.errors[0]?.message);
  return merged.config;
}

/** Configurations in the order in which they are read; the last one stays. */
function keys(engines: readonly object[]) {
  let reads = 0;
  const config = {
    load: async () => configOf(engines[Math.min(reads++, engines.length - 1)] ?? {}),
    expire: () => undefined,
  };
  const resolveSecret = async (name: string) => `value of ${name}`;
  return (account?: string, baseUrl = BASE_URL) =>
    providerKey({ config, resolveSecret }, { baseUrl, account, reader: 'runner:run_1' });
}

describe('the key of an account', () => {
  const accounts = [account('one', 'ONE'), account('two', 'TWO')];

  it("is that account's own, and no account's is that of another one", async () => {
    const key = keys([{ accounts }]);
    expect(await key('one')).toBe('value of ONE');
    expect(await key('two')).toBe('value of TWO');
    expect(await key()).toBe('value of ENGINE_API_KEY');
    expect(await key('three')).toBeNull();
  });

  it('is not given for an address that it was not set for', async () => {
    const elsewhere = [account('one', 'ONE', 'https://elsewhere.example/v1')];
    expect(await keys([{ accounts: elsewhere }])('one')).toBeNull();
    expect(await keys([{ accounts }, { accounts: elsewhere }])('one')).toBeNull();
  });

  it('is not given while accounts trade their keys', async () => {
    const traded = [account('one', 'TWO'), account('two', 'ONE')];
    expect(await keys([{ accounts }, { accounts: traded }])('one')).toBeNull();
  });
});
