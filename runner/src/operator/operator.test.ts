import { existsSync } from 'node:fs';
import { lstat, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { CallParams } from '@switchyard/shared/protocol/calls';
import {
  type EngineOperation,
  type EngineOutcome,
  MAX_ENGINE_RESULT_BYTES,
} from '@switchyard/shared/protocol/engine-operations';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ModelProxy } from '../attempt/attempt-deps.ts';
import { FakeClock } from '../connection/testing/fake-clock.ts';
import { ProcessContainerEngine } from '../container/process/process-engine.ts';
import type { AgentEngine, EngineSession } from '../engine/agent-engine.ts';
import { oddEngine } from '../engine/codex/testing/odd-engine.ts';
import { LiveSessions } from '../engine/live-sessions.ts';
import { Operator } from './operator.ts';

const WAIT_MS = 20_000;
const IDLE_MS = 5 * 60_000;

let dataDir: string;
let containers: ProcessContainerEngine;
let clock: FakeClock;
let sessions: LiveSessions;
let operators: Operator[];
/** Grants that were not taken back, by attempt and epoch, with their keys. */
let grants: Map<string, string | null>;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'switchyard-operator-'));
  containers = new ProcessContainerEngine({ registryFolder: join(dataDir, 'processes') });
  clock = new FakeClock();
  sessions = new LiveSessions();
  operators = [];
  grants = new Map();
});
afterEach(async () => {
  for (const operator of operators) await operator.stop();
  await containers.close();
  await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
});

const proxy: ModelProxy = {
  async grant({ ref, apiKey }) {
    const socketFolder = join(dataDir, 'access');
    await mkdir(socketFolder, { recursive: true });
    await writeFile(join(socketFolder, 'deadline'), '1 600000\n');
    grants.set(`${ref.attemptId}@${ref.epoch}`, apiKey);
    const access = { socketFolder, hostPort: 9 };
    return { token: 'token', tokenHash: 'hash', access, baseUrl: 'http://127.0.0.1:9/v1' };
  },
  adopt: () => Promise.resolve(),
  revoke: (ref) => Promise.resolve(void grants.delete(`${ref.attemptId}@${ref.epoch}`)),
};

function operatorOf(engine: AgentEngine | null, startTimeoutMs = WAIT_MS): Operator {
  const silent = () => undefined;
  const operator = new Operator({
    ...{ runnerId: 'run_1', bootId: 'boot', dataDir, image: 'none', containers, proxy, clock },
    log: { info: silent, warn: silent, error: silent },
    engine: () => engine,
    sessions,
    leaseIsLive: () => true,
    askForLease: () => undefined,
    unseal: (sealed) => Promise.resolve({ providerApiKey: sealed }),
    startTimeoutMs,
  });
  operators.push(operator);
  return operator;
}

function requestOf(
  operation: EngineOperation,
  changes: Partial<CallParams<'engine.request'>> = {},
): CallParams<'engine.request'> {
  const provider = { name: 'p', baseUrl: 'http://127.0.0.1:9/v1', wireApi: 'responses' as const };
  const engine = { model: 'scripted-model', provider };
  return { operation, engine, requestTimeoutMs: WAIT_MS, ...changes };
}

const never = new AbortController().signal;
const READ: EngineOperation = { op: 'account.read' };
const ask = (
  operator: Operator,
  operation: EngineOperation = READ,
  changes: Partial<CallParams<'engine.request'>> = {},
): Promise<EngineOutcome> => operator.answer(requestOf(operation, changes), never);

const running = async () =>
  (await containers.list('run_1')).filter(({ owner }) => owner.attemptId.startsWith('operator'));

async function eventually(what: string, holds: () => Promise<boolean>): Promise<void> {
  const endMs = Date.now() + WAIT_MS;
  while (!(await holds())) {
    if (Date.now() > endMs) throw new Error(`not in time: ${what}`);
    await delay(20);
  }
}

const pidOf = (outcome: EngineOutcome): unknown =>
  outcome.outcome === 'answered' ? outcome.result['pid'] : outcome;

describe('an operator engine', { timeout: 60_000 }, () => {
  it('is one, started when it is needed, and ends when nobody asks', async () => {
    const operator = operatorOf(oddEngine('works'));
    await operator.boot();
    expect(await running()).toHaveLength(0);
    const outcomes = await Promise.all([ask(operator), ask(operator), ask(operator)]);
    expect(new Set(outcomes.map(pidOf)).size).toBe(1);
    expect(await running()).toHaveLength(1);
    await clock.advance(IDLE_MS - 1);
    expect(pidOf(await ask(operator))).toBe(pidOf(outcomes[0]));
    await clock.advance(IDLE_MS);
    await eventually('the end of the engine', async () => (await running()).length === 0);
    expect(grants.size).toBe(0);
    expect(pidOf(await ask(operator))).toEqual(expect.any(Number));
  });

  it('is started anew after it crashed', async () => {
    const operator = operatorOf(oddEngine('works'));
    const pid = Number(pidOf(await ask(operator)));
    process.kill(pid, 'SIGKILL');
    await eventually('another engine', async () => {
      const next = pidOf(await ask(operator));
      return typeof next === 'number' && next !== pid;
    });
    expect(await running()).toHaveLength(1);
  });

  it('is another one for another provider or key', async () => {
    const operator = operatorOf(oddEngine('works'));
    const first = pidOf(await ask(operator, READ, { sealedSecrets: 'key-1' }));
    expect(pidOf(await ask(operator, READ, { sealedSecrets: 'key-1' }))).toBe(first);
    const second = pidOf(await ask(operator, READ, { sealedSecrets: 'key-2' }));
    expect(second).not.toBe(first);
    expect([...grants.values()]).toEqual(['key-2']);
    expect(await running()).toHaveLength(1);
  });

  it.each([
    ['there is none', 'missing', /does not start/],
    ['it exits at once', 'exits', /cannot open the configuration/],
    ['it says nothing', 'silent', /did not answer within/],
    ['it prints rubbish', 'garbage', /says too much/],
  ])('harms nothing when %s', async (_what, mode, words) => {
    const operator = operatorOf(oddEngine(mode), mode === 'silent' ? 500 : WAIT_MS);
    for (const _try of [1, 2]) {
      const outcome = await ask(operator);
      expect(outcome).toMatchObject({
        outcome: 'unreachable',
        message: expect.stringMatching(words) as string,
      });
    }
    expect(await running()).toHaveLength(0);
    expect(grants.size).toBe(0);
  });

  it.each([
    ['is silent', 'deaf'],
    ['dies', 'dies'],
  ])('is given up when it %s over a question', async (_what, mode) => {
    const operator = operatorOf(oddEngine(mode));
    const requestTimeoutMs = mode === 'deaf' ? 300 : WAIT_MS;
    expect(await ask(operator, READ, { requestTimeoutMs })).toMatchObject({
      outcome: 'unreachable',
    });
    await eventually('the end of the engine', async () => (await running()).length === 0);
    expect(grants.size).toBe(0);
  });

  it.each([
    ['old', 'unsupported'],
    ['strict', 'unsupported'],
    ['fails', 'refused'],
    ['strange', 'refused'],
  ])('that is %s: %s', async (mode, outcome) => {
    expect(await ask(operatorOf(oddEngine(mode)))).toMatchObject({ outcome });
  });

  it('has its long texts cut, and an answer that stays too long refused', async () => {
    const wordy = await ask(operatorOf(oddEngine('wordy')));
    expect(wordy).toMatchObject({ outcome: 'answered', shortened: true });
    expect(JSON.stringify(wordy).length).toBeLessThan(MAX_ENGINE_RESULT_BYTES);
    for (const operator of operators) await operator.stop();
    expect(await ask(operatorOf(oddEngine('endless')))).toMatchObject({ outcome: 'refused' });
  });

  it('is granted nothing that it asks for', async () => {
    const outcome = await ask(operatorOf(oddEngine('asks')));
    expect(outcome).toMatchObject({ result: { reply: { id: 'q-1', error: { code: -32601 } } } });
  });

  it('is none of an unknown name and none after the end of the runner', async () => {
    expect(await ask(operatorOf(null))).toMatchObject({ outcome: 'unreachable' });
    const operator = operatorOf(oddEngine('works'));
    await ask(operator);
    await operator.stop();
    expect(await running()).toHaveLength(0);
    expect(await ask(operator)).toMatchObject({ outcome: 'unreachable' });
  });

  it('of a former process is ended before anything else', async () => {
    await ask(operatorOf(oddEngine('works')));
    expect(await running()).toHaveLength(1);
    const next = operatorOf(oddEngine('works'));
    await next.boot();
    expect(await running()).toHaveLength(0);
    expect(pidOf(await ask(next))).toEqual(expect.any(Number));
  });

  it('answers a few at a time', async () => {
    const operator = operatorOf(oddEngine('works'));
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => ask(operator)));
    const refused = outcomes.filter(({ outcome }) => outcome === 'unreachable');
    expect(refused).toHaveLength(2);
  });
});

describe('the home of an operator engine', { timeout: 60_000 }, () => {
  const keep = async (key: string, name: string, text: string) => {
    const folder = join(dataDir, 'sessions', key, '2026', '01');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, name), text);
  };
  const brought = (name: string) =>
    join(dataDir, 'operator', 'home', 'codex', 'sessions', '2026', '01', name);
  const list: EngineOperation = { op: 'threads.list' };

  it('has the sessions that attempts left, also those of later', async () => {
    await keep('sy-1', 'a.jsonl', 'one');
    const operator = operatorOf(oddEngine('works'));
    const first = pidOf(await ask(operator, list));
    expect(await readFile(brought('a.jsonl'), 'utf8')).toBe('one');
    expect(pidOf(await ask(operator, list))).toBe(first);
    await keep('sy-1', 'a.jsonl', 'one and more');
    await keep('sy-2', 'b.jsonl', 'two');
    await ask(operator, list);
    expect(await readFile(brought('a.jsonl'), 'utf8')).toBe('one and more');
    expect(await readFile(brought('b.jsonl'), 'utf8')).toBe('two');
  });

  it('is written through no link that an engine left, and brings in none', async () => {
    const victim = join(dataDir, 'victim');
    await mkdir(victim);
    await writeFile(join(victim, 'config.toml'), 'mine');
    await mkdir(join(dataDir, 'operator', 'home', 'codex'), { recursive: true });
    await symlink(victim, join(dataDir, 'operator', 'home', 'codex', 'sessions'));
    await symlink(
      join(victim, 'config.toml'),
      join(dataDir, 'operator', 'home', 'codex', 'config.toml'),
    );
    await keep('sy-1', 'a.jsonl', 'one');
    await symlink('/etc/passwd', join(dataDir, 'sessions', 'sy-1', '2026', '01', 'link.jsonl'));
    await ask(operatorOf(oddEngine('works')), list);
    expect(await readFile(join(victim, 'config.toml'), 'utf8')).toBe('mine');
    expect(existsSync(join(victim, '2026'))).toBe(false);
    expect((await lstat(brought('a.jsonl'))).isFile()).toBe(true);
    expect(existsSync(brought('link.jsonl'))).toBe(false);
  });

  it('gets no session back that an operator archived', async () => {
    await keep('sy-1', 'a.jsonl', 'one');
    const archive = join(dataDir, 'operator', 'home', 'codex', 'archived_sessions');
    await mkdir(archive, { recursive: true });
    await writeFile(join(archive, 'a.jsonl'), 'one');
    await ask(operatorOf(oddEngine('works')), list);
    expect(existsSync(brought('a.jsonl'))).toBe(false);
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
    sessions.add('att_1@1', session as EngineSession);
  });

  it('is read, named and forked by the engine of the attempt', async () => {
    const operator = operatorOf(null);
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
      const outcome = await ask(operatorOf(null), { op, threadId: 'live-1' });
      expect(outcome).toMatchObject({ outcome: 'in_use' });
    }
    expect(asked).toEqual([]);
  });

  it('counts as loaded until the attempt is over', async () => {
    const operator = operatorOf(oddEngine('works'));
    const loaded: EngineOperation = { op: 'threads.loaded' };
    expect(await ask(operator, loaded)).toMatchObject({ result: { data: ['live-1'] } });
    sessions.delete('att_1@1');
    expect(await ask(operator, loaded)).toMatchObject({ result: { data: [] } });
  });
});
