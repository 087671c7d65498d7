import Anthropic, * as anthropic from '@anthropic-ai/sdk';
import { ApiError, GoogleGenAI } from '@google/genai';
import OpenAI, * as openAi from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import { cut, hang, refusal } from '../../test/support/scripted-model/faults.ts';
import { startScriptedProvider } from './scripted-provider.ts';
import type { Script, ScriptedProvider } from './scripted-provider.ts';
import { type Step, applyPatch, exec, reason, say, together } from './step.ts';

/** The provider's answers as its publishers' own clients read them. */

const open: ScriptedProvider[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((provider) => provider.close()));
});

async function start(script: Script): Promise<ScriptedProvider> {
  const provider = await startScriptedProvider({ script, apiKey: 'real-key' });
  open.push(provider);
  return provider;
}

const usage = { input: 1200, cachedInput: 900, output: 70, reasoning: 25 };
const work: Step = {
  ...together(reason('I look first.'), say('Now it runs.'), exec('ls -la')),
  usage,
};
const model = 'scripted-model';
const schema = (...names: string[]) => ({
  type: 'object' as const,
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  required: names,
});

describe('the Responses API', () => {
  const client = ({ url }: ScriptedProvider, apiKey = 'real-key') =>
    new OpenAI({ baseURL: url, apiKey, maxRetries: 0 });
  const tools = [
    { type: 'function' as const, name: 'exec_command', parameters: schema('cmd'), strict: false },
  ];

  it('streams items, tool calls and exact usage', async () => {
    const provider = await start([work]);
    const stream = client(provider).responses.stream({ model, input: 'go', tools });
    let text = '';
    stream.on('response.output_text.delta', ({ delta }) => (text += delta));
    const { usage: counted, output } = await stream.finalResponse();
    expect(text).toBe('Now it runs.');
    expect(counted).toMatchObject({ input_tokens: 1200, output_tokens: 70, total_tokens: 1270 });
    expect(counted?.input_tokens_details.cached_tokens).toBe(900);
    expect(counted?.output_tokens_details.reasoning_tokens).toBe(25);
    const call = output.find(({ type }) => type === 'function_call');
    expect(call).toMatchObject({ name: 'exec_command' });
    expect(JSON.parse((call as { arguments: string }).arguments)).toMatchObject({ cmd: 'ls -la' });
  });

  it('answers whole where no stream is wanted', async () => {
    const provider = await start([{ ...say('Hello.'), usage }]);
    const answer = await client(provider).responses.create({ model, input: 'go' });
    expect([answer.output_text, answer.usage?.total_tokens]).toEqual(['Hello.', 1270]);
  });

  it('refuses with status, code and reset', async () => {
    const resetAtMs = Date.now() + 90_000;
    const steps = [refusal('rate_limit', { retryAfterS: 2, resetAtMs }), refusal('context')];
    const provider = await start(steps);
    const ask = () => client(provider).responses.create({ model, input: 'go' });
    const limited = await ask().catch((error: unknown) => error);
    expect(limited).toBeInstanceOf(openAi.RateLimitError);
    const { headers, code } = limited as InstanceType<typeof openAi.RateLimitError>;
    expect([code, headers.get('retry-after')]).toEqual(['rate_limit_exceeded', '2']);
    expect(headers.get('x-ratelimit-reset-requests')).toMatch(/^1m(29|30)s$/);
    await expect(ask()).rejects.toMatchObject({ status: 400, code: 'context_length_exceeded' });
    const wrong = client(provider, 'other').responses.create({ model, input: 'go' });
    await expect(wrong).rejects.toBeInstanceOf(openAi.AuthenticationError);
  });
});

describe('the Chat Completions API', () => {
  const client = ({ url }: ScriptedProvider) =>
    new OpenAI({ baseURL: url, apiKey: 'real-key', maxRetries: 0 });
  const messages = [{ role: 'user' as const, content: 'go' }];
  const shell = { name: 'bash', parameters: schema('command', 'description') };
  const tools = [{ type: 'function' as const, function: shell }];

  it('streams text and tool calls, and usage only where it is asked for', async () => {
    const provider = await start([work, work]);
    const asked = { stream_options: { include_usage: true } };
    const stream = client(provider).chat.completions.stream({ model, messages, tools, ...asked });
    const { choices, usage: counted } = await stream.finalChatCompletion();
    const { message, finish_reason: finish } = choices[0] ?? {};
    expect([message?.content, finish]).toEqual(['Now it runs.', 'tool_calls']);
    const [call] = message?.tool_calls ?? [];
    expect(call).toMatchObject({ function: { name: 'bash' } });
    expect(counted).toMatchObject({
      prompt_tokens: 1200,
      completion_tokens: 70,
      total_tokens: 1270,
      prompt_tokens_details: { cached_tokens: 900 },
      completion_tokens_details: { reasoning_tokens: 25 },
    });
    const without = client(provider).chat.completions.stream({ model, messages, tools });
    expect((await without.finalChatCompletion()).usage).toBeFalsy();
  });

  it('answers whole, and refuses', async () => {
    const provider = await start([
      { ...say('Hello.'), usage },
      refusal('quota'),
      refusal('server_error'),
    ]);
    const ask = () => client(provider).chat.completions.create({ model, messages });
    const answer = await ask();
    expect(answer.choices[0]?.message.content).toBe('Hello.');
    expect(answer.usage?.total_tokens).toBe(1270);
    await expect(ask()).rejects.toMatchObject({ status: 429, code: 'insufficient_quota' });
    await expect(ask()).rejects.toBeInstanceOf(openAi.InternalServerError);
  });

  it('knows a steered turn from a new one', async () => {
    const seen: number[] = [];
    const provider = await start(({ stepIndex }) => {
      seen.push(stepIndex);
      return say('ok');
    });
    const user = (content: string) => ({ role: 'user' as const, content });
    const call = {
      id: 'c',
      type: 'function' as const,
      function: { name: 'bash', arguments: '{}' },
    };
    const called = { role: 'assistant' as const, content: null, tool_calls: [call] };
    const result = (content: string) => ({ role: 'tool' as const, tool_call_id: 'c', content });
    const steered = [user('a'), called, result('done'), user('also b')];
    const ended = [...steered, { role: 'assistant' as const, content: 'fine' }, user('c')];
    const stopped = [user('a'), called, result('[Tool execution was interrupted]'), user('go on')];
    for (const said of [steered, ended, stopped]) {
      await client(provider).chat.completions.create({ model, messages: said });
    }
    expect(seen).toEqual([1, 0, 0]);
  });
});

describe('the Messages API', () => {
  const client = ({ origin }: ScriptedProvider, apiKey = 'real-key') =>
    new Anthropic({ baseURL: origin, apiKey, maxRetries: 0 });
  const messages = [{ role: 'user' as const, content: 'Primary working directory: /workspace' }];
  const tool = (name: string, ...names: string[]) => ({ name, input_schema: schema(...names) });
  const tools = [
    tool('Bash', 'command', 'description'),
    tool('Read', 'file_path'),
    tool('Edit', 'file_path', 'old_string', 'new_string'),
  ];
  const request = { model, max_tokens: 1000, messages, tools };

  it('streams blocks, tool calls and exact usage', async () => {
    const provider = await start([work]);
    const message = await client(provider).messages.stream(request).finalMessage();
    expect(message.content.map(({ type }) => type)).toEqual(['thinking', 'text', 'tool_use']);
    expect(message.content[2]).toMatchObject({ name: 'Bash', input: { command: 'ls -la' } });
    expect(message.stop_reason).toBe('tool_use');
    expect(message.usage).toMatchObject({
      input_tokens: 300,
      cache_read_input_tokens: 900,
      output_tokens: 70,
    });
    const count = await client(provider).messages.countTokens({ model, messages });
    expect(count.input_tokens).toBeGreaterThan(0);
    expect(provider.requests.map(({ isSide }) => isSide)).toEqual([false, true]);
  });

  it('edits with the tools that are offered, having read the file', async () => {
    const patch = `*** Begin Patch
*** Update File: src/a.js
@@
 const a = 1;
-const b = 2;
+const b = 3;
*** End Patch`;
    const provider = await start([applyPatch(patch)]);
    const { content } = await client(provider).messages.create(request);
    const path = { file_path: '/workspace/src/a.js' };
    expect(
      content.map((block) => (block.type === 'tool_use' ? [block.name, block.input] : [])),
    ).toEqual([
      ['Read', path],
      [
        'Edit',
        {
          ...path,
          old_string: 'const a = 1;\nconst b = 2;',
          new_string: 'const a = 1;\nconst b = 3;',
        },
      ],
    ]);
  });

  it('refuses as Anthropic does', async () => {
    const resetAtMs = Date.parse('2030-01-02T03:04:05Z');
    const provider = await start([
      refusal('rate_limit', { retryAfterS: 7, resetAtMs }),
      refusal('overloaded'),
      refusal('context'),
      { outputs: [], ending: ({ fail }) => fail({ kind: 'overloaded' }) },
    ]);
    const ask = () => client(provider).messages.stream(request).finalMessage();
    const limited = await ask().catch((error: unknown) => error);
    expect(limited).toBeInstanceOf(anthropic.RateLimitError);
    const { headers, error } = limited as InstanceType<typeof anthropic.RateLimitError>;
    expect(headers.get('retry-after')).toBe('7');
    expect(headers.get('anthropic-ratelimit-requests-reset')).toBe('2030-01-02T03:04:05Z');
    expect(error).toMatchObject({ type: 'error', error: { type: 'rate_limit_error' } });
    await expect(ask()).rejects.toMatchObject({ status: 529 });
    await expect(ask()).rejects.toThrow('prompt is too long');
    await expect(ask()).rejects.toThrow('Overloaded');
    const wrong = client(provider, 'other').messages.create(request);
    await expect(wrong).rejects.toBeInstanceOf(anthropic.AuthenticationError);
    const { data } = await client(provider).models.list();
    expect(data.map(({ id }) => id)).toEqual([model]);
  });
});

describe('the Gemini API', () => {
  const client = ({ origin }: ScriptedProvider, apiKey = 'real-key') =>
    new GoogleGenAI({ apiKey, httpOptions: { baseUrl: origin, retryOptions: { attempts: 1 } } });
  const functionDeclarations = [
    { name: 'run_shell_command', parametersJsonSchema: schema('command') },
  ];
  const request = { model, contents: 'go', config: { tools: [{ functionDeclarations }] } };

  it('streams text, calls and exact usage', async () => {
    const provider = await start([work]);
    const chunks = [];
    for await (const chunk of await client(provider).models.generateContentStream(request)) {
      chunks.push(chunk);
    }
    expect(chunks.map(({ text }) => text ?? '').join('')).toBe('Now it runs.');
    const calls = chunks.flatMap(({ functionCalls }) => functionCalls ?? []);
    expect(calls).toMatchObject([{ name: 'run_shell_command', args: { command: 'ls -la' } }]);
    expect(chunks.at(-1)?.usageMetadata).toMatchObject({
      promptTokenCount: 1200,
      cachedContentTokenCount: 900,
      candidatesTokenCount: 45,
      thoughtsTokenCount: 25,
      totalTokenCount: 1270,
    });
    expect(provider.requests[0]).toMatchObject({ model, authorized: true, wireApi: 'gemini' });
  });

  it('answers whole, counts and refuses', async () => {
    const quota = refusal('quota', { retryAfterS: 40 });
    const provider = await start([{ ...say('Hello.'), usage }, quota, refusal('unauthorized')]);
    const { models } = client(provider);
    expect((await models.generateContent(request)).text).toBe('Hello.');
    expect((await models.countTokens({ model, contents: 'go' })).totalTokens).toBeGreaterThan(0);
    const limited = await models.generateContent(request).catch((error: unknown) => error);
    expect(limited).toBeInstanceOf(ApiError);
    expect((limited as ApiError).status).toBe(429);
    expect((limited as ApiError).message).toContain('"retryDelay":"40s"');
    await expect(models.generateContent(request)).rejects.toMatchObject({ status: 401 });
  });
});

it('stays silent or breaks off in every format', async () => {
  const steps = [hang(), { outputs: [], silence: 'after_headers' as const }, cut('Well')];
  const paths = [
    '/v1/responses',
    '/v1/chat/completions',
    '/v1/messages',
    '/v1beta/models/m:streamGenerateContent',
  ];
  const said = [{ role: 'user', content: 'go' }];
  const contents = [{ role: 'user', parts: [{ text: 'go' }] }];
  const body = JSON.stringify({ model, stream: true, input: 'go', messages: said, contents });
  for (const path of paths) {
    const provider = await startScriptedProvider({ script: steps });
    open.push(provider);
    const ask = (signal?: AbortSignal) =>
      fetch(`${provider.origin}${path}`, { method: 'POST', body, signal: signal ?? null });
    const patience = () => AbortSignal.timeout(150);
    await expect(ask(patience()), path).rejects.toThrow('timeout');
    const silent = await ask(patience());
    expect(silent.headers.get('content-type')).toBe('text/event-stream');
    await expect(silent.text(), path).rejects.toThrow('timeout');
    await expect((await ask()).text(), path).rejects.toThrow('terminated');
  }
});
