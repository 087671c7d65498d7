import type { Attempt } from '@switchyard/shared/api/work/attempt';
import type { Runner } from '@switchyard/shared/api/runner';
import { describe, expect, it } from 'vitest';
import { compareAttempts } from './compare-attempts.ts';

const tokens = (total: number) => ({ input: 0, cachedInput: 0, output: 0, reasoning: 0, total });
const attempt = (fields: Partial<Attempt>) =>
  ({
    status: 'completed',
    outcome: 'completed',
    failureKind: null,
    errorMessage: null,
    startedAt: '2026-01-01T00:00:00.000Z',
    endedAt: '2026-01-01T00:01:00.000Z',
    turnCount: 2,
    tokens: tokens(1_000),
    costUsd: null,
    unpricedTokens: 0,
    model: 'small',
    reasoningEffort: null,
    runnerId: 'r1',
    leaseEpoch: 1,
    branch: 'b',
    commitSha: null,
    summary: null,
    ...fields,
  }) as Attempt;

describe('two attempts compared', () => {
  const rows = compareAttempts(
    attempt({ outcome: 'oom', failureKind: 'container_oom' }),
    attempt({ model: 'large', tokens: tokens(1_500), endedAt: '2026-01-01T00:00:30.000Z' }),
    { runners: [{ runnerId: 'r1', name: 'north' } as Runner] },
  );
  const row = (name: string) => rows.find((one) => one.name === name);

  it('marks what differs, and says by how much', () => {
    expect(row('Outcome')).toMatchObject({
      left: 'out of memory',
      right: 'completed',
      differs: true,
    });
    expect(row('Model')).toMatchObject({ left: 'small', right: 'large', change: null });
    expect(row('Tokens')?.change).toBe('+50 %');
    expect(row('Duration')?.change).toBe('−50 %');
    expect(row('Runner')).toMatchObject({ left: 'north', differs: false });
  });

  it('shows no figures of an agent for a merge test', () => {
    const shown = { engine: 'some-engine', tokens: tokens(0), turnCount: 0, model: null };
    const tests = compareAttempts(
      attempt({ ...shown, kind: 'check' }),
      attempt({ ...shown, kind: 'check' }),
      { runners: [] },
    );
    const names = tests.map(({ name }) => name);
    expect(tests[0]).toMatchObject({ name: 'Kind', left: 'Merge test' });
    for (const name of ['Turns', 'Tokens', 'Cached', 'Output tokens', 'Engine', 'Model'])
      expect(names).not.toContain(name);
  });

  it('leaves out what nobody knows', () => {
    expect(row('Cost')).toBeUndefined();
    expect(row('Reasoning effort')).toBeUndefined();
  });
});
