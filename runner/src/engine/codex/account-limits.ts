import { type RateLimitWindow, RateLimitsParams } from './turn-params.ts';

/** The latest known rate-limit windows of the account that the provider bills. */
export class AccountLimits {
  #primary: RateLimitWindow | null = null;
  #secondary: RateLimitWindow | null = null;

  /** A window that is null in an update says nothing new, so the last known one stays. */
  note(params: unknown): void {
    const parsed = RateLimitsParams.safeParse(params);
    if (!parsed.success) return;
    const { primary, secondary } = parsed.data.rateLimits;
    this.#primary = primary ?? this.#primary;
    this.#secondary = secondary ?? this.#secondary;
  }

  get windows(): RateLimitWindow[] {
    return [this.#primary, this.#secondary].filter((window) => window !== null);
  }
}
