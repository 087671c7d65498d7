import { type RateLimitWindow, RateLimitsParams } from './turn-params.ts';

/** The latest known rate-limit windows of the provider's account. */
export class AccountLimits {
  #primary: RateLimitWindow | null = null;
  #secondary: RateLimitWindow | null = null;

  /** Updates the windows; one that is null in an update keeps its last known value. */
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
