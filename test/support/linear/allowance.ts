const HOUR_MS = 3_600_000;
/** The dearest query that Linear takes at all. */
const MAX_QUERY_POINTS = 10_000;

/** How much a key may ask for in an hour. Source: Linear's page on rate limiting. */
export type AllowanceLimits = { pointsPerHour: number; requestsPerHour: number };
type Left = { points: number; requests: number };

/** What is left to a key: it fills again at a steady rate, never above an hour's worth. */
export class Allowance {
  readonly limits: AllowanceLimits = { pointsPerHour: 250_000, requestsPerHour: 2_500 };
  /** All points that were given out. */
  spentPoints = 0;
  /** The query that cost most, and what it cost. */
  dearest = { operation: '', points: 0 };
  readonly #nowMs: () => number;
  #left: Left | null = null;
  #atMs = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Takes a query's cost from what is left, or says why not. */
  take(operation: string, points: number): 'taken' | 'too complex' | 'exhausted' {
    const left = this.#refill();
    if (points > this.dearest.points) this.dearest = { operation, points };
    if (points > MAX_QUERY_POINTS) return 'too complex';
    if (points > left.points || left.requests < 1) return 'exhausted';
    left.points -= points;
    left.requests -= 1;
    this.spentPoints += points;
    return 'taken';
  }

  /** Leaves only so many points. */
  leave(points: number): void {
    this.#refill().points = points;
  }

  headers(points: number): Record<string, string> {
    const left = this.#refill();
    const { pointsPerHour, requestsPerHour } = this.limits;
    const fullAt = (has: number, of: number) =>
      String(Math.ceil(this.#nowMs() + ((of - has) / of) * HOUR_MS));
    return {
      'x-complexity': String(points),
      'x-ratelimit-complexity-limit': String(pointsPerHour),
      'x-ratelimit-complexity-remaining': String(Math.floor(left.points)),
      'x-ratelimit-complexity-reset': fullAt(left.points, pointsPerHour),
      'x-ratelimit-requests-limit': String(requestsPerHour),
      'x-ratelimit-requests-remaining': String(Math.floor(left.requests)),
      'x-ratelimit-requests-reset': fullAt(left.requests, requestsPerHour),
    };
  }

  #refill(): Left {
    const { pointsPerHour, requestsPerHour } = this.limits;
    const nowMs = this.#nowMs();
    const hours = Math.max(0, nowMs - this.#atMs) / HOUR_MS;
    const before = this.#left ?? { points: pointsPerHour, requests: requestsPerHour };
    this.#left = {
      points: Math.min(pointsPerHour, before.points + hours * pointsPerHour),
      requests: Math.min(requestsPerHour, before.requests + hours * requestsPerHour),
    };
    this.#atMs = nowMs;
    return this.#left;
  }
}
