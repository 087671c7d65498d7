import { afterEach, describe, expect, it } from 'vitest';
import type { AcpProfile } from '../../../runner/src/engine/acp/acp-profile.ts';
import { oddAgentEngine } from '../../../runner/src/engine/acp/testing/odd-agent-engine.ts';
import type { EngineEvent } from '../../../runner/src/engine/agent-engine.ts';
import {
  type Bench,
  MODEL,
  collect,
  openBench,
  turnInput,
} from '../../../runner/src/engine/testing/engine-bench.ts';

const benches: Bench[] = [];
afterEach(async () => {
  for (const bench of benches.splice(0)) await bench.dispose();
});

async function start(mode = '', change: Partial<AcpProfile> = {}): Promise<Bench> {
  const engine = oddAgentEngine(mode, change);
  const bench = await openBench({
    engine,
    providerUrl: 'http://127.0.0.1:9/v1',
    patienceMs: 20_000,
  });
  benches.push(bench);
  return bench;
}

const texts = (events: readonly EngineEvent[]): string[] =>
  events.flatMap((event) =>
    event.kind === 'item_ended' && event.item.type === 'message' ? [event.item.text] : [],
  );
const notices = (events: readonly EngineEvent[]): string[] =>
  events.flatMap((event) => (event.kind === 'notice' ? [event.message] : []));
const ends = (events: readonly EngineEvent[]): EngineEvent[] =>
  events.filter(({ kind }) => kind === 'turn_ended');

describe('an agent that misbehaves', { timeout: 60_000 }, () => {
  it('is read on through garbage, huge lines and messages of unknown forms', async () => {
    const bench = await start();
    await bench.startThread();
    expect(await bench.runTurn('garbage')).toMatchObject({ status: 'completed' });
    const garbage = bench.events.filter((event) => event.kind === 'garbage');
    expect(garbage.map(({ bytes }) => bytes)).toEqual([12, 7, 27, 33 * 1024 * 1024]);
    expect(garbage.every(({ sample }) => sample.length <= 2_048)).toBe(true);
    expect(notices(bench.events)).toContain('an update of the agent had an unknown form');
    const [text] = texts(bench.events);
    expect(text).toMatch(/^head y+/);
    expect(text).toMatch(/y+ tail$/);
    expect(text?.length).toBeLessThanOrEqual(64 * 1024);
  });

  it('shows updates of calls that nobody announced, each ended once', async () => {
    const bench = await start();
    await bench.startThread();
    expect(await bench.runTurn('orphans')).toMatchObject({ status: 'completed' });
    const ended = bench.events.filter((event) => event.kind === 'item_ended');
    expect(ended.map(({ itemId, item }) => ({ itemId, ...item }))).toMatchObject([
      { type: 'user_message' },
      { itemId: 'o1', type: 'tool_call', status: 'completed', output: 'three files' },
      { itemId: 'o2', type: 'command', command: 'sleep', status: 'unknown' },
    ]);
  });

  it('is not led astray by ids and sessions that are none of ours', async () => {
    const bench = await start();
    await bench.startThread();
    expect(await bench.runTurn('wrong ids')).toMatchObject({ status: 'completed' });
    expect(texts(bench.events)).toEqual(['Ours.']);
    expect(ends(bench.events)).toHaveLength(1);
  });

  it('that answers a prompt twice has one end, and its late words count for nothing', async () => {
    const bench = await start();
    await bench.startThread();
    expect(await bench.runTurn('twice')).toMatchObject({ status: 'completed' });
    await bench.until(
      'word of it',
      (event) => event.kind === 'notice' && event.message.includes('went on after'),
    );
    expect(await bench.runTurn('plain')).toMatchObject({ status: 'completed' });
    expect(texts(bench.events)).toEqual(['Once.', 'Plain.']);
    expect(ends(bench.events)).toHaveLength(2);
  });

  it.each([
    ['lie', 'failed', 'all_is_well'],
    ['nothing', 'failed', 'not known'],
    ['refusal', 'failed', 'refused'],
    ['tokens', 'completed', 'stopped early'],
  ])('ends a turn whose stop reason is "%s" as %s', async (text, status, words) => {
    const bench = await start();
    await bench.startThread();
    const ended = await bench.runTurn(text);
    expect(ended.status).toBe(status);
    const told = [ended.failure?.message ?? '', ...notices(bench.events)].join();
    expect(told).toContain(words);
  });

  it.each([
    [
      { code: -32_603, message: 'Internal error', data: { details: '401 Incorrect API key' } },
      'auth_failed',
    ],
    [{ code: -32_000, message: 'Authentication required' }, 'auth_failed'],
    [{ code: 429, message: 'Resource exhausted' }, 'usage_limited'],
    [{ code: -32_603, message: 'x', data: { errorKind: 'billing_error' } }, 'usage_limited'],
    [
      { code: -32_603, message: 'x', data: { errorName: 'ContextOverflowError' } },
      'context_exceeded',
    ],
    [{ code: -32_603, message: 'Prompt is too long' }, 'context_exceeded'],
    [{ code: 503, message: 'unavailable' }, 'provider_unreachable'],
    [{ code: -32_603, message: 'something else' }, 'agent_error'],
  ])('names the failure in %j %s', async (error, kind) => {
    const bench = await start();
    await bench.startThread();
    const ended = await bench.runTurn(`fail ${JSON.stringify(error)}`);
    expect(ended).toMatchObject({ status: 'failed', failure: { kind } });
  });

  it.each(['', 'liar', 'deaf'])(
    'ends an interrupted turn in time, also of one that is "%s"',
    async (mode) => {
      const bench = await start(mode);
      await bench.startThread();
      const turnId = await bench.startTurn('silent');
      await bench.session.interrupt();
      expect(await bench.untilTurnEnds(turnId)).toMatchObject({ status: 'interrupted' });
      const said = notices(bench.events).join();
      expect(said.includes('did not end its turn')).toBe(mode === 'deaf');
      expect(await bench.runTurn('plain')).toMatchObject({ status: 'completed' });
    },
  );

  it('gets permissions once and for our session only, and no files', async () => {
    const bench = await start();
    await bench.startThread();
    expect(await bench.runTurn('permission')).toMatchObject({ status: 'completed' });
    expect(JSON.parse(texts(bench.events)[0] ?? '')).toEqual([
      { id: 'p', result: { outcome: { outcome: 'selected', optionId: 'sure' } } },
      { id: 'f', error: { code: -32_601, message: expect.any(String) } },
      { id: 'q', result: { outcome: { outcome: 'selected', optionId: 'never' } } },
    ]);
  });

  it('gets people’s answers as the values of its form', async () => {
    const bench = await start();
    await bench.startThread();
    const turnId = await bench.startTurn('question');
    const request = await bench.until('the question', ({ kind }) => kind === 'request');
    if (request.kind !== 'request') throw new Error('not a question');
    expect(request.questions.map(({ id, header }) => `${id} ${header}`)).toEqual([
      'colour Colour',
      'sure Sure',
      'count How many',
      'parts parts',
    ]);
    const answers = { colour: ['Green'], sure: ['Yes'], count: ['3'], parts: ['top', 'bottom'] };
    expect(await bench.session.answer(request.requestId, answers)).toBe(true);
    expect(await bench.session.answer(request.requestId, answers)).toBe(false);
    await bench.untilTurnEnds(turnId);
    const content = { colour: 'g', sure: true, count: 3, parts: ['top', 'bottom'] };
    expect(JSON.parse(texts(bench.events)[0] ?? '')).toEqual([
      { id: 'e', result: { action: 'accept', content } },
    ]);
  });

  it('can be answered by the process that adopted it, and is asked once', async () => {
    const bench = await start();
    const threadId = await bench.startThread();
    await bench.startTurn('question');
    const asked = await bench.until('the question', ({ kind }) => kind === 'request');
    if (asked.kind !== 'request') throw new Error('not a question');
    bench.session.close();
    const { process, journal } = bench;
    const session = await oddAgentEngine('').open({
      stdio: process.attach(),
      journal,
      adopted: true,
      threadId,
    });
    const { until } = collect(session, 20_000);
    expect(await session.answer(asked.requestId, {})).toBe(true);
    const ended = await until('the end', ({ kind }) => kind === 'turn_ended');
    expect(ended).toMatchObject({ status: 'completed' });
    session.close();
  });

  it('that cannot take words in a turn says so', async () => {
    const bench = await start();
    await bench.startThread();
    await bench.startTurn('silent');
    expect(await bench.session.steer(turnInput('use tabs'))).toBe('queued');
  });

  it('that never answers words which joined a turn does not hold it', async () => {
    const bench = await start('', { steer: { by: 'prompt' } });
    await bench.startThread();
    const turnId = await bench.startTurn('silent');
    // Answered at once, unlike the prompt that began the turn.
    expect(await bench.session.steer(turnInput('plain'))).toBe('joined');
    await bench.session.interrupt();
    expect(await bench.untilTurnEnds(turnId)).toMatchObject({ status: 'interrupted' });
  });

  it('is not asked for a model that it does not have, and the turn goes on', async () => {
    const bench = await start();
    await bench.startThread();
    await bench.session.startTurn(turnInput('plain'), { model: 'large', reasoningEffort: 'high' });
    await bench.untilTurnEnds();
    const words = notices(bench.events);
    expect(words[0]).toContain('does not offer the model large; it goes on with its own (p/small)');
    expect(words[1]).toContain('offers no reasoning effort');
  });

  it('that forgot a thread begins a new one; what a thread repeats is not told again', async () => {
    const bench = await start('forgets');
    const stored = { threadId: 'old', cwd: bench.workspacePath, model: MODEL };
    const opened = await bench.session.resumeThread(stored);
    expect(opened).toMatchObject({ resumed: false });
    expect(notices(bench.events)[0]).toContain('cannot be resumed (Resource not found)');
    const other = await start('', { resume: 'load' });
    expect(await other.session.resumeThread(stored)).toEqual({ threadId: 'old', resumed: true });
    expect(texts([...bench.events, ...other.events])).toEqual([]);
  });

  it.each([
    ['mute', /initialize: the engine did not answer within 300 ms/],
    ['future', /speaks version 7 of the Agent Client Protocol/],
    ['endless', /without the end of a line|cannot be read/],
  ])('is refused at its start when it is "%s"', async (mode, words) => {
    await expect(start(mode)).rejects.toThrow(words);
  });
});
