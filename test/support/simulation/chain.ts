/** One choice of a simulated chain: each account stands at the same provider with a key of its own. */
export type ChainChoice = { name: string; engine: string; key: string };

/** Engine that a runner has without saying so, and another one that only some runners have. */
export const USUAL_ENGINE = 'codex';
export const OTHER_ENGINE = 'opencode';

/** The chain of a simulated installation, the first choice first. Choice and account share a name. */
export const CHAIN: readonly ChainChoice[] = [
  { name: 'first', engine: USUAL_ENGINE, key: 'KEY_FIRST' },
  { name: 'second', engine: OTHER_ENGINE, key: 'KEY_SECOND' },
  { name: 'third', engine: USUAL_ENGINE, key: 'KEY_THIRD' },
];

/** What an account may use before it is out of quota, and how long that lasts. */
export const QUOTA = { tokens: 1_500, resetMs: 45_000 } as const;

/** The configuration of an installation with a chain. */
export function chainVariables(baseUrl: string): Record<string, string> {
  const accounts = CHAIN.map(({ name, key }) => ({
    name,
    provider: { name: 'simulated', baseUrl, wireApi: 'responses', apiKey: `$SECRET:${key}` },
  }));
  const choices = CHAIN.map(({ name, engine }) => ({
    name,
    engine,
    account: name,
    model: `model of ${name}`,
  }));
  return {
    SERVICE_CONFIG__engine__accounts: JSON.stringify(accounts),
    SERVICE_CONFIG__engine__choices: JSON.stringify(choices),
    SERVICE_CONFIG__engine__failover: JSON.stringify(CHAIN.map(({ name }) => name)),
  };
}
