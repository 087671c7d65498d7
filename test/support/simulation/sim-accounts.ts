import type { TurnFailure } from '../../../runner/src/engine/agent-engine.ts';
import { CHAIN, QUOTA } from './chain.ts';

type Down = 'auth_failed' | 'usage_limited' | 'provider_unreachable';

/** The accounts at a simulated model provider: each has a quota and may be refused for a while. */
export class SimAccounts {
  readonly #wallMs: () => number;
  /** Reset times are dates: where clocks are wrong nobody tells them. */
  readonly #tellsResets: boolean;
  readonly #down = new Map<string, Down>();
  readonly #used = new Map<string, { tokens: number; sinceMs: number }>();
  #quotas = true;

  constructor({ wallMs, tellsResets }: { wallMs: () => number; tellsResets: boolean }) {
    this.#wallMs = wallMs;
    this.#tellsResets = tellsResets;
  }

  refuse(account: string, how: Down): void {
    this.#down.set(account, how);
  }

  accept(account: string): void {
    this.#down.delete(account);
  }

  /** Everything answers from now on. */
  heal(): void {
    this.#down.clear();
    this.#quotas = false;
  }

  use(account: string, tokens: number): void {
    const used = this.#inPeriod(account);
    this.#used.set(account, { ...used, tokens: used.tokens + tokens });
  }

  /** How a request on an account is refused now; null when it is answered. */
  failureOf(account: string): TurnFailure | null {
    const down = this.#down.get(account);
    const used = this.#inPeriod(account);
    const spent = this.#quotas && used.tokens >= QUOTA.tokens;
    const kind = down ?? (spent ? 'usage_limited' : null);
    if (kind === null) return null;
    const from = down === undefined ? used.sinceMs : this.#wallMs();
    const isReported = kind === 'usage_limited' && this.#tellsResets;
    const reset = isReported ? { resetAtMs: from + QUOTA.resetMs } : {};
    return { kind, message: `the account ${account} is refused`, ...reset };
  }

  #inPeriod(account: string): { tokens: number; sinceMs: number } {
    const nowMs = this.#wallMs();
    const used = this.#used.get(account);
    const isOver = used === undefined || nowMs >= used.sinceMs + QUOTA.resetMs;
    return isOver ? { tokens: 0, sinceMs: nowMs } : used;
  }
}

/** Names of the accounts that a fault may strike. */
export const ACCOUNTS: readonly string[] = CHAIN.map(({ name }) => name);
