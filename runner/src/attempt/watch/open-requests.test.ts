import { MAX_QUESTION_MS } from '@switchyard/shared/protocol/limits';
import { describe, expect, it } from 'vitest';
import { testSpec } from '../../connection/testing/attempt-spec.ts';
import { FakeClock } from '../../connection/testing/fake-clock.ts';
import { OpenRequests } from './open-requests.ts';

function scene(clock: FakeClock, askedAtMs: Record<string, number> = {}) {
  const kept: { requestsAskedAtMs?: Record<string, number> } = { requestsAskedAtMs: askedAtMs };
  const open = new Set<string>();
  const expired: string[] = [];
  const spec = testSpec();
  const requests = new OpenRequests(
    {
      spec: { ...spec, limits: { ...spec.limits, requestMs: MAX_QUESTION_MS } },
      deps: { clock },
      liveness: {
        requestOpened: (requestId) => void open.add(requestId),
        requestClosed: (requestId) => void open.delete(requestId),
      },
      recorder: { progress: (progress) => void Object.assign(kept, progress) },
    },
    askedAtMs,
    (requestId) => expired.push(requestId),
  );
  return { requests, kept, open, expired };
}

describe('requests to people', () => {
  it('of 30 days last 30 days', async () => {
    const clock = new FakeClock();
    const { requests, expired } = scene(clock);
    requests.opened('r1');
    await clock.advance(MAX_QUESTION_MS - 1);
    expect(expired).toEqual([]);
    await clock.advance(1);
    expect(expired).toEqual(['r1']);
  });

  it('have what is left of it in a later process', async () => {
    const clock = new FakeClock();
    const former = scene(clock);
    former.requests.opened('r1');
    former.requests.opened('r2');
    former.requests.closed('r2');
    await clock.advance(MAX_QUESTION_MS - 5_000);
    former.requests.stop();
    expect([...former.open]).toEqual([]);
    const { requests, open, expired } = scene(clock, former.kept.requestsAskedAtMs);
    requests.opened('r1');
    requests.opened('r2');
    expect([...open]).toEqual(['r1', 'r2']);
    await clock.advance(5_000);
    expect(expired).toEqual(['r1']);
  });

  it('that are closed do not expire', async () => {
    const clock = new FakeClock();
    const { requests, open, expired } = scene(clock);
    requests.opened('r1');
    requests.closed('r1');
    await clock.advance(MAX_QUESTION_MS);
    expect([expired, [...open]]).toEqual([[], []]);
  });
});
