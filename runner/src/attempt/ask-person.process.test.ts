import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RunnerLine } from '../egress/tools/runner-line.ts';
import type { CallAnswer } from '../egress/tools/runner-call.ts';
import { limits, useHost } from './testing/use-host.ts';

const rig = useHost();
const { hang, offer, payloads, stored, turn, until } = rig;
const ref = { attemptId: 'att_00000001', epoch: 1 };
const REQUEST = `ask-${keyOf('1').slice(0, 32)}`;

describe('questions that an agent asks by a tool', { timeout: 60_000 }, () => {
  let line: RunnerLine;
  const leaving = new Set<AbortController>();

  beforeEach(() => {
    const { engine, fixture } = rig.world;
    engine.tools = 'mcp';
    engine.capabilities = { ...engine.capabilities, questions: false };
    line = new RunnerLine(join(fixture.folder, 'data', 'egress', 'tools.sock'), { retryMs: 5 });
    hang();
  });
  afterEach(() => {
    for (const one of leaving) one.abort();
    leaving.clear();
  });

  /** Asks as the proxy does; `id` stands for the call of the agent. */
  function ask(question = 'Tabs or spaces?', id = '1') {
    const gone = new AbortController();
    leaving.add(gone);
    const given = { question, options: [{ label: 'Tabs' }, { label: 'Spaces' }] };
    const call = { ...ref, key: keyOf(id), tool: 'ask_person', arguments: given };
    const asked: { answer: CallAnswer | null } = { answer: null };
    line.call(call, gone.signal).then(
      (answer) => (asked.answer = answer),
      () => undefined,
    );
    return asked;
  }
  const answer = (text: string) =>
    rig.world.plane.say({
      type: 'answer',
      ...ref,
      answer: { requestId: REQUEST, answers: { answer: [text] } },
    });

  it('reach people as those of other engines do, and their answer the agent', async () => {
    offer();
    await turn();
    const asked = ask();
    await until('the request', () => stored('request').length === 1);
    expect(payloads('request')).toMatchObject([
      {
        requestId: REQUEST,
        turnId: 'turn1',
        questions: [{ question: 'Tabs or spaces?', options: [{ label: 'Tabs' }, {}] }],
      },
    ]);
    answer('Tabs');
    const told = await until('the answer', () => asked.answer);
    expect(told).toEqual({ success: true, text: 'The answer: Tabs' });
    await until('the end of the request', () => stored('request_resolved').length === 1);
    expect(rig.world.engine.sessions[0]?.answers).toEqual([]);
  });

  it('stand once in the inbox although the runner restarts, and are answered after it', async () => {
    offer();
    await turn();
    const asked = ask();
    await until('the request', () => stored('request').length === 1);
    // Read to its end: only then is it sure that people have it.
    rig.world.engine.sessions[0]?.push({ kind: 'notice', level: 'info', message: 'next' });
    await until('the notice', () => stored('notice').length === 1);
    await rig.restart();
    const adopted = await until('the adoption', () => rig.world.engine.sessions[1]);
    // As an engine does that knows nothing of the request.
    adopted.answer = async () => false;
    await until('the answer', () => {
      answer('Spaces');
      return asked.answer;
    });
    expect(asked.answer?.text).toBe('The answer: Spaces');
    expect(stored('request')).toHaveLength(1);
    await until('the end of the request', () => stored('request_resolved').length === 1);
  });

  it('end without an answer after the limit for people', async () => {
    offer({ limits: { ...limits, requestMs: 30_000 } });
    await turn();
    const asked = ask();
    await until('the request', () => stored('request').length === 1);
    await rig.world.clock.advance(30_100);
    expect(await until('the answer', () => asked.answer)).toMatchObject({
      text: expect.stringContaining('Nobody answered in time'),
    });
  });

  it('end with the turn, before it', async () => {
    offer();
    const one = await turn();
    const asked = ask();
    await until('the request', () => stored('request').length === 1);
    one.end();
    expect(await until('the answer', () => asked.answer)).toMatchObject({ success: false });
    await until('the next turn', () => stored('turn').length >= 2);
    const kinds = (rig.world.plane.stored.get('att_00000001@1') ?? []).map(({ kind }) => kind);
    expect(kinds.indexOf('request_resolved')).toBeLessThan(kinds.lastIndexOf('turn'));
  });

  it('are closed when the agent takes them back', async () => {
    offer();
    await turn();
    const asked = ask();
    await until('the request', () => stored('request').length === 1);
    await line.abandoned({ ...ref, key: keyOf('1'), cancelled: true });
    await until('the end of the request', () => stored('request_resolved').length === 1);
    expect(await until('an end', () => asked.answer)).toMatchObject({ success: false });
  });

  it('stay open for a moment when only the connection broke', async () => {
    offer({ limits: { ...limits, requestMs: 0 } });
    await turn();
    ask();
    await until('the request', () => stored('request').length === 1);
    await line.abandoned({ ...ref, key: keyOf('1'), cancelled: false });
    await rig.world.clock.advance(20_000);
    const again = ask();
    // Answered after what came before it.
    await line.tools(ref, new AbortController().signal);
    await rig.world.clock.advance(60_000);
    expect(stored('request_resolved')).toEqual([]);
    await line.abandoned({ ...ref, key: keyOf('1'), cancelled: false });
    await rig.world.clock.advance(31_000);
    await until('the end of the request', () => stored('request_resolved').length === 1);
    expect(await until('an end', () => again.answer)).toMatchObject({ success: false });
  });

  it('are none without a question', async () => {
    offer();
    await turn();
    const asked = ask('');
    expect(await until('the answer', () => asked.answer)).toMatchObject({ success: false });
    expect(stored('request')).toEqual([]);
  });
});

function keyOf(id: string): string {
  return createHash('sha256').update(id).digest('hex');
}
