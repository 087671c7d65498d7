import {
  type EngineOperation,
  MAX_ENGINE_RESULT_BYTES,
} from '@switchyard/shared/protocol/engine-operations';
import { beforeEach, describe, expect, it } from 'vitest';
import type { EngineSession } from '../engine/agent-engine.ts';
import { oddEngine } from '../engine/codex/testing/odd-engine.ts';
import { ask, pidOf, READ, useOperators, WAIT_MS } from './testing/use-operators.ts';

const IDLE_MS = 5 * 60_000;

const rig = useOperators();

const eventually = (message: string, holds: () => Promise<boolean>) =>
  expect.poll(holds, { message, timeout: WAIT_MS }).toBe(true);

describe('an operator engine', { timeout: 60_000 }, () => {
  it('is one, started when it is needed, and ends when nobody asks', async () => {
    const operator = rig.operatorOf(oddEngine('works'));
    await operator.boot();
    expect(await rig.running()).toHaveLength(0);
    const outcomes = await Promise.all([ask(operator), ask(operator), ask(operator)]);
    expect(new Set(outcomes.map(pidOf)).size).toBe(1);
    expect(await rig.running()).toHaveLength(1);
    await rig.clock.advance(IDLE_MS - 1);
    expect(pidOf(await ask(operator))).toBe(pidOf(outcomes[0]));
    await rig.clock.advance(IDLE_MS);
    await eventually('the end of the engine', async () => (await rig.running()).length === 0);
    await eventually('the end of its grant', async () => rig.grants.size === 0);
    expect(pidOf(await ask(operator))).toEqual(expect.any(Number));
  });

  it('is started anew after it crashed', async () => {
    const operator = rig.operatorOf(oddEngine('works'));
    const pid = Number(pidOf(await ask(operator)));
    process.kill(pid, 'SIGKILL');
    await eventually('another engine', async () => {
      const next = pidOf(await ask(operator));
      return typeof next === 'number' && next !== pid;
    });
    expect(await rig.running()).toHaveLength(1);
  });

  it('is another one for another provider or key', async () => {
    const operator = rig.operatorOf(oddEngine('works'));
    const first = pidOf(await ask(operator, READ, { sealedSecrets: 'key-1' }));
    expect(pidOf(await ask(operator, READ, { sealedSecrets: 'key-1' }))).toBe(first);
    const second = pidOf(await ask(operator, READ, { sealedSecrets: 'key-2' }));
    expect(second).not.toBe(first);
    expect([...rig.grants.values()]).toEqual(['key-2']);
    expect(await rig.running()).toHaveLength(1);
  });

  it.each([
    ['there is none', 'missing', /does not start/],
    ['it exits at once', 'exits', /; its last output: cannot open the configuration$/],
    ['it says nothing', 'silent', /did not answer within/],
    ['it prints rubbish', 'garbage', /says too much/],
  ])('harms nothing when %s', async (_what, mode, words) => {
    const operator = rig.operatorOf(oddEngine(mode), mode === 'silent' ? 500 : WAIT_MS);
    for (const _try of [1, 2]) {
      const outcome = await ask(operator);
      expect(outcome).toMatchObject({
        outcome: 'unreachable',
        message: expect.stringMatching(words) as string,
      });
    }
    expect(await rig.running()).toHaveLength(0);
    expect(rig.grants.size).toBe(0);
  });

  it.each([
    ['is silent', 'deaf'],
    ['dies', 'dies'],
  ])('is given up when it %s over a question', async (_what, mode) => {
    const operator = rig.operatorOf(oddEngine(mode));
    const requestTimeoutMs = mode === 'deaf' ? 300 : WAIT_MS;
    expect(await ask(operator, READ, { requestTimeoutMs })).toMatchObject({
      outcome: 'unreachable',
    });
    await eventually('the end of the engine', async () => (await rig.running()).length === 0);
    await eventually('the end of its grant', async () => rig.grants.size === 0);
  });

  it.each([
    ['old', 'unsupported'],
    ['strict', 'unsupported'],
    ['fails', 'refused'],
    ['strange', 'refused'],
  ])('that is %s: %s', async (mode, outcome) => {
    expect(await ask(rig.operatorOf(oddEngine(mode)))).toMatchObject({ outcome });
  });

  it('has its long texts cut, and an answer that stays too long refused', async () => {
    const wordy = await ask(rig.operatorOf(oddEngine('wordy')));
    expect(wordy).toMatchObject({ outcome: 'answered', shortened: true });
    expect(JSON.stringify(wordy).length).toBeLessThan(MAX_ENGINE_RESULT_BYTES);
    await rig.stopAll();
    expect(await ask(rig.operatorOf(oddEngine('endless')))).toMatchObject({ outcome: 'refused' });
  });

  it('is granted nothing that it asks for', async () => {
    const outcome = await ask(rig.operatorOf(oddEngine('asks')));
    expect(outcome).toMatchObject({ result: { reply: { id: 'q-1', error: { code: -32601 } } } });
  });

  it('is none of an unknown name and none after the end of the runner', async () => {
    expect(await ask(rig.operatorOf(null))).toMatchObject({ outcome: 'unreachable' });
    const operator = rig.operatorOf(oddEngine('works'));
    await ask(operator);
    await operator.stop();
    expect(await rig.running()).toHaveLength(0);
    expect(await ask(operator)).toMatchObject({ outcome: 'unreachable' });
  });

  it('of a former process is ended before anything else', async () => {
    const former = rig.operatorOf(oddEngine('works'));
    await ask(former);
    expect(await rig.running()).toHaveLength(1);
    const next = rig.operatorOf(oddEngine('works'));
    await next.boot();
    expect(await rig.running()).toHaveLength(0);
    // It still lives in this process, where it would clear the folder of the next one.
    await former.stop();
    expect(pidOf(await ask(next))).toEqual(expect.any(Number));
  });

  it('answers a few at a time', async () => {
    const operator = rig.operatorOf(oddEngine('works'));
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => ask(operator)));
    const refused = outcomes.filter(({ outcome }) => outcome === 'unreachable');
    expect(refused).toHaveLength(2);
  });
});

describe('a thread that an attempt works on', () => {
  const asked: EngineOperation[] = [];
  beforeEach(() => {
    asked.length = 0;
    const session: Partial<EngineSession> = {
      threadId: 'live-1',
      ask: (operation) => {
        asked.push(operation);
        return Promise.resolve({ outcome: 'answered', result: {}, shortened: false });
      },
    };
    rig.sessions.add('att_1@1', session as EngineSession);
  });

  it('is read, named and forked by the engine of the attempt', async () => {
    const operator = rig.operatorOf(null);
    const operations: EngineOperation[] = [
      { op: 'thread.read', threadId: 'live-1', includeTurns: true },
      { op: 'thread.name', threadId: 'live-1', name: 'n' },
      { op: 'thread.fork', threadId: 'live-1' },
    ];
    for (const operation of operations) {
      expect(await ask(operator, operation)).toMatchObject({ outcome: 'answered' });
    }
    expect(asked).toEqual(operations);
  });

  it('is not taken away from it', async () => {
    for (const op of ['thread.archive', 'thread.unarchive', 'thread.unsubscribe'] as const) {
      const outcome = await ask(rig.operatorOf(null), { op, threadId: 'live-1' });
      expect(outcome).toMatchObject({ outcome: 'in_use' });
    }
    expect(asked).toEqual([]);
  });

  it('counts as loaded until the attempt is over', async () => {
    const operator = rig.operatorOf(oddEngine('works'));
    const loaded: EngineOperation = { op: 'threads.loaded' };
    expect(await ask(operator, loaded)).toMatchObject({ result: { data: ['live-1'] } });
    rig.sessions.delete('att_1@1');
    expect(await ask(operator, loaded)).toMatchObject({ result: { data: [] } });
  });
});
