import { afterEach, describe, expect, it } from 'vitest';
import { fixFailingTest } from './ready-scripts.ts';
import { asksQuestion, byPrompt } from '../../test/support/scripted-model/scripts.ts';
import type { ReadyScript } from './ready-scripts.ts';
import { startScriptedProvider } from './scripted-provider.ts';
import type { Script, ScriptedProvider } from './scripted-provider.ts';
import { say } from './step.ts';
import { sendAllFirst } from '../../test/support/fronts/send-all-first.ts';
import { cut, failUsageLimit, garbage, hang } from '../../test/support/scripted-model/faults.ts';

const open: ScriptedProvider[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((provider) => provider.close()));
});

async function start(script: Script, apiKey?: string): Promise<ScriptedProvider> {
  const provider = await startScriptedProvider(apiKey ? { script, apiKey } : { script });
  open.push(provider);
  return provider;
}

function call(
  { url }: ScriptedProvider,
  input: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  const body = JSON.stringify({ model: 'm', input, stream: true });
  return fetch(`${url}/responses`, { method: 'POST', headers, body });
}

const user = (text: string): unknown => ({ type: 'message', role: 'user', content: text });
const output = (text: string): unknown => ({ type: 'function_call_output', output: text });

describe('the scripted provider', () => {
  it('demands its key and keeps only a hash of what it was given', async () => {
    const provider = await start([say('Hello.')], 'real-key');
    const wrong = await call(provider, 'x', { authorization: 'Bearer token' });
    expect(wrong.status).toBe(401);
    const right = await call(provider, 'x', { authorization: 'Bearer real-key', 'thread-id': 't' });
    expect(await right.text()).toContain('event: response.completed');
    expect(provider.requests.map(({ authorized }) => authorized)).toEqual([false, true]);
    expect(JSON.stringify(provider.requests)).not.toContain('real-key');
    expect((await fetch(`${provider.url}/models`)).status).toBe(401);
  });

  it('tells a client that sends all before it reads that its request is too large', async () => {
    const { origin } = await start([say('Hello.')]);
    const sent = { path: '/v1/responses', body: 'x'.repeat(48 * 1024 * 1024) };
    expect(await sendAllFirst(Number(new URL(origin).port), sent)).toBe(413);
  });

  it('plays a list per thread', async () => {
    const provider = await start([say('first'), say('second')]);
    const say1 = await call(provider, 'x', { 'thread-id': 'a' });
    const say2 = await call(provider, 'x', { 'thread-id': 'a' });
    const other = await call(provider, 'x', { 'thread-id': 'b' });
    expect(await say1.text()).toContain('"text":"first"');
    expect(await say2.text()).toContain('"text":"second"');
    expect(await other.text()).toContain('"text":"first"');
  });

  it('chooses by the prompt, so that one provider serves many attempts', async () => {
    const script = byPrompt([{ match: 'SY-2', script: () => say('for two') }], () => say('else'));
    const provider = await start(script);
    const two = await call(provider, [user('Work on SY-2 now')]);
    expect(await two.text()).toContain('for two');
    expect(await (await call(provider, [user('SY-1')])).text()).toContain('else');
  });

  it('misbehaves on command', async () => {
    const provider = await start([failUsageLimit(5_000), garbage('?'), cut('Well')]);
    const headers = { 'thread-id': 'a' };
    const limited = await call(provider, 'x', headers);
    expect(limited.status).toBe(429);
    expect(limited.headers.get('x-codex-primary-reset-at')).toBe('5');
    expect(await (await call(provider, 'x', headers)).text()).toBe('?');
    await expect((await call(provider, 'x', headers)).text()).rejects.toThrow('terminated');
  });

  it('answers nonsense with an error and closes with streams open', async () => {
    const provider = await start(() => hang());
    const bad = await fetch(`${provider.url}/responses`, { method: 'POST', body: '{' });
    expect(bad.status).toBe(400);
    const hanging = call(provider, 'x').then(
      () => 'answered',
      () => 'dropped',
    );
    while (provider.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await provider.close();
    expect(await hanging).toBe('dropped');
  });
});

describe('ready scripts', () => {
  const request = {
    receivedAtMs: 0,
    method: 'POST',
    path: '/v1/responses',
    wireApi: 'responses' as const,
    authorizationSha256: null,
    keySha256: null,
    authorized: true,
    systemText: '',
    isSide: false,
    threadId: 't',
    turnId: 'u',
    model: 'm',
    input: [],
    toolNames: [],
    userTexts: [],
    callIndex: 0,
  };
  const lastText = (step: ReturnType<ReadyScript>): string => JSON.stringify(step.outputs.at(-1));

  it('report what the tests said, not what was hoped', () => {
    const end = { ...request, stepIndex: 5 };
    const passed = fixFailingTest()({ ...end, toolOutputs: ['ℹ pass 3\nℹ fail 0\n'] });
    expect(lastText(passed)).toContain('SWITCHYARD_STATUS: DONE"');
    const failed = fixFailingTest()({ ...end, toolOutputs: ['ℹ pass 2\nℹ fail 1\n'] });
    expect(lastText(failed)).toContain('SWITCHYARD_STATUS: BLOCKED"');
  });

  it('never put an answer with quotes into a shell', () => {
    const answers = '{"answers":{"colour":{"answers":["\'; rm -rf ."]}}}';
    const step = asksQuestion({ ...request, stepIndex: 1, toolOutputs: [answers] });
    expect(lastText(step)).toContain('BLOCKED');
  });

  it('count a repeated call as the same step', async () => {
    const seen: number[] = [];
    const provider = await start(({ stepIndex }) => {
      seen.push(stepIndex);
      return say('ok');
    });
    const metadata = JSON.stringify({ turn_id: 'turn-2' });
    const headers = { 'thread-id': 'a', 'x-codex-turn-metadata': metadata };
    const before = [user('a'), output('old'), user('b')];
    await (await call(provider, before, headers)).text();
    await (await call(provider, before, headers)).text();
    await (await call(provider, [...before, output('new')], headers)).text();
    expect(seen).toEqual([0, 0, 1]);
  });
});
