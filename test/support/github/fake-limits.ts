import type { FakeAnswer } from './fake-github.ts';

type Resource = 'core' | 'graphql';
type Hold = { token: string; of: Resource | 'all'; untilMs: number; isReported: boolean };

const DOCUMENTATION =
  'https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api';

/** Limits per token, as GitHub holds them: primary ones per resource, secondary ones for all. */
export class FakeLimits {
  /** Requests that came although their token had been told to wait. */
  readonly impatient: string[] = [];
  nowMs: () => number = () => Date.now();
  readonly #holds: Hold[] = [];

  /** Too much at once: everything with this token is refused for so long. */
  slowDown(token: string, seconds: number): void {
    this.#hold(token, 'all', this.nowMs() + seconds * 1_000);
  }

  /** The allowance of an hour is used up until then. */
  spend(token: string, of: Resource, untilMs: number): void {
    this.#hold(token, of, untilMs);
  }

  /** The refusal of a request; null: it may come in. */
  refusal(token: string, resource: Resource, line: string): FakeAnswer | null {
    const nowMs = this.nowMs();
    const hold = this.#holds.find(
      (each) =>
        each.token === token && each.untilMs > nowMs && (each.of === 'all' || each.of === resource),
    );
    if (hold === undefined) return null;
    if (hold.isReported) this.impatient.push(line);
    hold.isReported = true;
    return hold.of === 'all' ? secondary(hold, nowMs) : primary(hold, resource);
  }

  #hold(token: string, of: Hold['of'], untilMs: number): void {
    this.#holds.push({ token, of, untilMs, isReported: false });
  }
}

function secondary(hold: Hold, nowMs: number): FakeAnswer {
  const message =
    'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.';
  return {
    status: 403,
    body: { message, documentation_url: DOCUMENTATION },
    headers: { 'Retry-After': String(Math.ceil((hold.untilMs - nowMs) / 1_000)) },
  };
}

function primary({ untilMs }: Hold, resource: Resource): FakeAnswer {
  const message = 'API rate limit exceeded for user ID 2.';
  const headers = {
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': String(Math.ceil(untilMs / 1_000)),
    'X-RateLimit-Resource': resource,
  };
  if (resource === 'core') {
    return { status: 403, body: { message, documentation_url: DOCUMENTATION }, headers };
  }
  return { status: 200, body: { errors: [{ type: 'RATE_LIMITED', message }] }, headers };
}
