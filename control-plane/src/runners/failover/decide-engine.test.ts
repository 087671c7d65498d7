import { describe, expect, it } from 'vitest';
import { type ChainEntry, decideEngine, type PausedUpstream } from './decide-engine.ts';

const NOW_MS = 10_000;
const entry = (name: string, changes: Partial<ChainEntry> = {}): ChainEntry => ({
  name,
  engine: name,
  upstream: `provider:${name}`,
  unready: null,
  ...changes,
});
const CHAIN = [entry('first'), entry('second'), entry('third')];

function pause(name: string, changes: Partial<PausedUpstream> = {}): PausedUpstream {
  return {
    upstream: `provider:${name}`,
    why: { code: 'provider_limited', reason: `${name} is out of quota` },
    open: false,
    dueAtMs: NOW_MS + 60_000,
    failedKey: null,
    ...changes,
  };
}

function choose(
  pauses: PausedUpstream[],
  changes: Partial<Parameters<typeof decideEngine>[0]> = {},
) {
  const paused = new Map(pauses.map((one) => [one.upstream, one]));
  return decideEngine({ chain: CHAIN, paused, engines: null, nowMs: NOW_MS, ...changes });
}

describe('the choice of a chain', () => {
  it('is the first whose account is not paused', () => {
    expect(choose([])).toMatchObject({ kind: 'use', entry: { name: 'first' }, pause: null });
    expect(choose([pause('first')])).toMatchObject({ entry: { name: 'second' } });
    expect(choose([pause('first'), pause('second')])).toMatchObject({ entry: { name: 'third' } });
  });

  it('is the first again for one canary when its reset time has come', () => {
    const due = pause('first', { open: true, dueAtMs: NOW_MS });
    expect(choose([due, pause('second')])).toEqual({ kind: 'use', entry: CHAIN[0], pause: due });
    // While that canary is on its way the others go on where they are.
    expect(choose([{ ...due, open: false }])).toMatchObject({ entry: { name: 'second' } });
  });

  it('is none while every account is paused: the issue waits for the earliest reset', () => {
    const pauses = [
      pause('first'),
      pause('second', { dueAtMs: NOW_MS + 5_000 }),
      pause('third', { dueAtMs: NOW_MS - 1 }),
    ];
    expect(choose(pauses)).toEqual({
      kind: 'wait',
      retryAtMs: NOW_MS + 5_000,
      why: {
        code: 'providers_paused',
        reason:
          'first: first is out of quota; second: second is out of quota; third: third is out of quota',
      },
    });
    expect(choose([pause('first')], { chain: CHAIN.slice(0, 1) })).toMatchObject({
      why: { code: 'provider_limited', reason: 'first is out of quota' },
    });
  });

  it('shares the pause of an account with every choice on it', () => {
    const chain = [entry('first'), entry('cheap', { upstream: 'provider:first' }), entry('other')];
    expect(choose([pause('first')], { chain })).toMatchObject({ entry: { name: 'other' } });
  });

  it('waits for a runner with the first engine, and passes over a later one without', () => {
    expect(choose([], { engines: new Set(['second']) })).toEqual({
      kind: 'wait',
      retryAtMs: null,
      why: {
        code: 'runner_engine_missing',
        reason: 'waiting for a runner with the agent engine first',
      },
    });
    const engines = new Set(['first', 'third']);
    expect(choose([pause('first')], { engines })).toMatchObject({ entry: { name: 'third' } });
    expect(choose([pause('first')], { engines: new Set(['first']) })).toMatchObject({
      kind: 'wait',
      why: { code: 'provider_limited' },
    });
  });

  it('waits for the settings of the first, and passes over a later one that lacks them', () => {
    const unready = { code: 'provider_key_missing', reason: 'no key' } as const;
    const chain = [entry('first'), entry('second', { unready }), entry('third')];
    expect(choose([pause('first')], { chain })).toMatchObject({ entry: { name: 'third' } });
    expect(choose([], { chain: chain.slice(1) })).toMatchObject({ kind: 'wait', why: unready });
  });
});
