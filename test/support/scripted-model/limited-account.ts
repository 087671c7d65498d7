import { randomBytes } from 'node:crypto';
import type { ProviderRequest } from '../../../control-plane/scripted-provider/provider-request.ts';
import type { ReadyScript } from '../../../control-plane/scripted-provider/ready-scripts.ts';
import {
  type ScriptedProvider,
  startScriptedProvider,
} from '../../../control-plane/scripted-provider/scripted-provider.ts';
import { say, type Step } from '../../../control-plane/scripted-provider/step.ts';
import { refusal } from './faults.ts';
import { byPrompt } from './scripts.ts';

/** An account of a scripted provider with a key of its own and a quota that a script can use up. */
export class LimitedAccount {
  readonly key: string;
  readonly provider: ScriptedProvider;
  readonly #scripts: { match: string; script: ReadyScript }[];
  #resetAtMs = 0;

  static async start(): Promise<LimitedAccount> {
    const key = `limited-${randomBytes(16).toString('hex')}`;
    const provider = await startScriptedProvider({ script: [], apiKey: key });
    return new LimitedAccount(key, provider);
  }

  private constructor(key: string, provider: ScriptedProvider) {
    this.key = key;
    this.provider = provider;
    this.#scripts = [];
    const answer = byPrompt(this.#scripts, () => say('Nothing is planned for this.'));
    provider.setScript((request) => (this.isLimited ? this.#refuse() : answer(request)));
  }

  /** When the quota is there again, epoch milliseconds; 0: it was never used up. */
  get resetAtMs(): number {
    return this.#resetAtMs;
  }

  get isLimited(): boolean {
    return Date.now() < this.#resetAtMs;
  }

  /** Issues whose prompt has `match` are answered by `script`. */
  plan(match: string, script: ReadyScript): void {
    this.#scripts.unshift({ match, script });
  }

  /** From now on every call is refused until the reset, which providers tell in whole seconds. */
  useUp(resetInMs: number): Step {
    this.#resetAtMs = Math.ceil((Date.now() + resetInMs) / 1_000) * 1_000;
    return this.#refuse();
  }

  /** Its calls about one issue, oldest first; those beside the work left out. */
  calls(identifier: string): ProviderRequest[] {
    return this.provider.requests.filter(
      ({ isSide, userTexts }) => !isSide && userTexts.join('\n').includes(identifier),
    );
  }

  #refuse(): Step {
    return refusal('rate_limit', { resetAtMs: this.#resetAtMs });
  }
}
