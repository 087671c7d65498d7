import { randomBytes } from 'node:crypto';
import type { IssueDetail } from '@switchyard/shared/api/work/issue';
import type { WireApi } from '@switchyard/shared/model-providers/wire-api';
import {
  type ScriptedProvider,
  startScriptedProvider,
} from '../../../control-plane/scripted-provider/scripted-provider.ts';
import type { ProviderRequest } from '../../../control-plane/scripted-provider/provider-request.ts';
import type { Step } from '../../../control-plane/scripted-provider/step.ts';
import type { ServiceClient } from '../e2e/service-client.ts';
import { refusal } from '../scripted-model/faults.ts';

/** Engines that work can be spread over, each with a format of a provider that it asks. */
const WIRE_APIS: Readonly<Record<string, WireApi>> = {
  codex: 'responses',
  opencode: 'chat',
  claude: 'messages',
};
const MODEL = 'scripted-model';
/** Answers of an account, times its place among the others, after which its quota is used up. */
const QUOTA_CALLS = 9;
/** Longer than a runner lets an engine wait in silence. */
const RESET_IN_MS = 75_000;

export const CHAOS_ENGINES: readonly string[] = Object.keys(WIRE_APIS);

type Account = { engine: string; secret: string; key: string; provider: ScriptedProvider };
type WorkScript = (request: ProviderRequest) => Step;

/** One account of a provider for each engine, every one with a key that no other one takes. */
export class ChaosAccounts {
  readonly #accounts: readonly Account[];
  readonly #failover: boolean;

  /** `failover`: each is used up once, and the others go on with its work meanwhile. */
  static async start(
    engines: readonly string[],
    work: WorkScript,
    { failover }: { failover: boolean },
  ): Promise<ChaosAccounts> {
    const accounts: Account[] = [];
    for (const [index, engine] of engines.entries()) {
      const key = `chaos-${engine}-${randomBytes(16).toString('hex')}`;
      const script = failover ? usedUpOnce(work, QUOTA_CALLS * (index + 1)) : work;
      const provider = await startScriptedProvider({ script, apiKey: key });
      accounts.push({ engine, secret: `KEY_OF_${engine.toUpperCase()}`, key, provider });
    }
    return new ChaosAccounts(accounts, { failover });
  }

  private constructor(accounts: readonly Account[], { failover }: { failover: boolean }) {
    this.#accounts = accounts;
    this.#failover = failover;
  }

  /** Settings by which the label of an issue chooses engine and account; none without accounts. */
  get settings(): Record<string, string> {
    if (this.#accounts.length === 0) return {};
    const accounts = this.#accounts.map(({ engine, provider, secret }) => ({
      name: engine,
      provider: {
        name: 'scripted',
        baseUrl: provider.url,
        wireApi: WIRE_APIS[engine],
        apiKey: `$SECRET:${secret}`,
      },
    }));
    const choices = this.#accounts.map(({ engine }) => ({
      name: `${engine}/${MODEL}`,
      engine,
      model: MODEL,
      account: engine,
    }));
    const chain = this.#failover ? choices.map(({ name }) => name) : [];
    const rules = choices.map(({ name, engine }) => ({
      labels: [labelOf(engine)],
      use: name,
      failover: chain,
    }));
    return {
      'engine.accounts': JSON.stringify(accounts),
      'engine.choices': JSON.stringify(choices),
      'engine.rules': JSON.stringify(rules),
    };
  }

  async storeKeys(client: ServiceClient): Promise<void> {
    for (const { secret, key } of this.#accounts) {
      await client.must('POST', `/secrets/${secret}`, { value: key });
    }
  }

  /** Labels of an issue, which engines take turns with. */
  labels(work: number): string[] {
    const engine = this.#engineOf(work);
    return engine === null ? [] : [labelOf(engine)];
  }

  /** In words, attempts that ran with another engine than the issue's, and calls with a wrong key. */
  strays(issues: readonly IssueDetail[], works: ReadonlyMap<string, number>): string[] {
    const attempts = issues.flatMap(({ identifier, attempts: all }) => {
      const engine = this.#engineOf(works.get(identifier) ?? 0);
      const mayBeOther = engine === null || this.#failover;
      const others = all.filter((one) => !mayBeOther && one.engine !== engine);
      return others.map((one) => `${one.attemptId} of ${identifier} ran with ${one.engine}`);
    });
    const calls = this.#accounts.flatMap(({ engine, provider }) => {
      const wrong = provider.requests.filter(({ authorized }) => !authorized).length;
      return wrong === 0 ? [] : [`${wrong} calls to the account of ${engine} had another key`];
    });
    return [...attempts, ...calls];
  }

  async close(): Promise<void> {
    for (const { provider } of this.#accounts) await provider.close();
  }

  #engineOf(work: number): string | null {
    const count = this.#accounts.length;
    return count === 0 ? null : (this.#accounts[work % count]?.engine ?? null);
  }
}

/** Refuses for a while from its n-th call on, once; what it refuses is not noted as work. */
function usedUpOnce(work: WorkScript, afterCalls: number): WorkScript {
  let calls = 0;
  let resetAtMs = 0;
  return (request) => {
    calls += 1;
    // Providers tell whole seconds.
    if (calls === afterCalls) resetAtMs = Math.ceil((Date.now() + RESET_IN_MS) / 1_000) * 1_000;
    return Date.now() < resetAtMs ? refusal('rate_limit', { resetAtMs }) : work(request);
  };
}

const labelOf = (engine: string): string => `with-${engine}`;
