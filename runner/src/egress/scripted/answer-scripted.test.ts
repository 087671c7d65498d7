import { mkdtemp, rm } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WireApi } from '@switchyard/shared/model-providers/wire-api';
import { READS_ONLY, SCRIPTED_BASE_URL } from '@switchyard/shared/model-providers/scripted-model';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hashToken } from '../grant.ts';
import { ProxyServer } from '../proxy-server.ts';

const TOKEN = 'attempt-token-1';
const OWNER = { attemptId: 'A1', epoch: 1 };
const PROMPT = 'Please run rm -rf /. End with SWITCHYARD_STATUS: DONE.';

let folder: string;
let proxy: ProxyServer;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'swy-scripted-'));
  proxy = new ProxyServer();
  await proxy.listen();
});
afterEach(async () => {
  await proxy.close();
  await rm(folder, { recursive: true, force: true });
});

const grant = (wireApi: WireApi) =>
  proxy.grant({
    ...OWNER,
    tokenHash: hashToken(TOKEN),
    upstreamBaseUrl: SCRIPTED_BASE_URL,
    wireApi,
    // As an older control plane might still send one: it stays where it is.
    apiKey: 'sk-never-used',
    expiresAtMs: Date.now() + 600_000,
    socketFolder: folder,
  });

function ask(
  path: string,
  body: unknown,
  method = 'POST',
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const where = { socketPath: join(folder, 'proxy.sock'), agent: false, path, method };
    const headers = { authorization: `Bearer ${TOKEN}` };
    const request = httpRequest({ ...where, headers }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    request.on('error', reject);
    request.end(method === 'GET' ? undefined : JSON.stringify(body));
  });
}

type Said = { role: string; content: string }[];
const chat = (messages: Said) => ({
  model: 'scripted-trial',
  stream: true,
  messages,
  tools: [{ type: 'function', function: { name: 'bash', parameters: { properties: {} } } }],
});

/** How each format asks with a shell, and where. */
const FORMATS: { wireApi: WireApi; path: string; body: unknown; shell: string }[] = [
  {
    wireApi: 'responses',
    path: '/v1/responses',
    shell: 'exec_command',
    body: {
      model: 'scripted-trial',
      stream: true,
      input: [{ role: 'user', content: PROMPT }],
      tools: [{ type: 'function', name: 'exec_command', parameters: {} }],
    },
  },
  {
    wireApi: 'chat',
    path: '/v1/chat/completions',
    shell: 'bash',
    body: chat([{ role: 'user', content: PROMPT }]),
  },
  {
    wireApi: 'messages',
    path: '/v1/messages',
    shell: 'Bash',
    body: {
      model: 'scripted-trial',
      stream: true,
      max_tokens: 100,
      messages: [{ role: 'user', content: PROMPT }],
      tools: [{ name: 'Bash', input_schema: {} }],
    },
  },
  {
    wireApi: 'gemini',
    shell: 'run_shell_command',
    path: '/v1beta/models/scripted-trial:streamGenerateContent?alt=sse',
    body: {
      contents: [{ role: 'user', parts: [{ text: PROMPT }] }],
      tools: [{ functionDeclarations: [{ name: 'run_shell_command', parameters: {} }] }],
    },
  },
];

describe('the scripted model of a trial', () => {
  it.each(FORMATS)('answers in the format $wireApi and uses no tokens', async (format) => {
    await grant(format.wireApi);
    const { status, text } = await ask(format.path, format.body);
    expect({ status, text }).toMatchObject({ status: 200 });
    expect(text).toContain(format.shell);
    expect(text).toContain('ls -A');
    expect(text).not.toContain('rm -rf');
    expect(proxy.modelReport(OWNER)).toMatchObject({
      answers: 1,
      uncounted: 0,
      refusal: null,
      active: 0,
      tokens: { total: 0 },
      byModel: { 'scripted-trial': { total: 0 } },
    });
  });

  it('lists itself alone, and counts nothing', async () => {
    await grant('messages');
    const list = await ask('/v1/models', null, 'GET');
    expect(JSON.parse(list.text)).toMatchObject({ data: [{ id: 'scripted-trial' }] });
    const count = await ask('/v1/messages/count_tokens', { messages: [] });
    expect(JSON.parse(count.text)).toMatchObject({ input_tokens: 0 });
  });

  it('has no answer in another format, without the token, or without a shell', async () => {
    await grant('messages');
    expect(await ask('/v1/responses', {})).toMatchObject({ status: 404 });
    await grant('chat');
    const { tools: _none, ...toolless } = chat([{ role: 'user', content: PROMPT }]);
    const other = { type: 'function', function: { name: 'weather' } };
    const refused = await ask('/v1/chat/completions', { ...toolless, tools: [other] });
    expect(refused).toMatchObject({ status: 400 });
    expect(refused.text).toContain('the scripted model cannot answer');
  });

  it('writes nothing where work only reads, and says that it made no report', async () => {
    await grant('chat');
    const content = `You change nothing: ${READS_ONLY}. ${PROMPT}`;
    const { text } = await ask('/v1/chat/completions', chat([{ role: 'user', content }]));
    expect(wordsIn(text)).toMatch(/made no report[^]*SWITCHYARD_STATUS: DONE$/);
  });

  it('works in a thread that planned first, and plans in one that worked', async () => {
    await grant('chat');
    const path = '/v1/chat/completions';
    const planning = { role: 'user', content: `You change nothing: ${READS_ONLY}. ${PROMPT}` };
    const working = { role: 'user', content: `The plan is approved. ${PROMPT}` };
    const planned = { role: 'assistant', content: 'It made no plan.\n\nSWITCHYARD_STATUS: DONE' };
    const begun = [planning, planned, working];
    const work = await ask(path, chat(begun));
    expect(work.text).toContain('ls -A');
    const called = { role: 'assistant', content: '', tool_calls: [{ id: 'c' }] };
    const listed = { role: 'tool', tool_call_id: 'c', content: 'README.md' };
    const next = await ask(path, chat([...begun, called, listed]));
    expect(next.text).toContain('switchyard-trial: %s %s');
    const again = await ask(path, chat([...begun, planned, planning]));
    expect(wordsIn(again.text)).toMatch(/no plan[^]*SWITCHYARD_STATUS: DONE$/);
    expect(again.text).not.toContain('ls -A');
  });

  it('takes no body of more than a few megabytes: many come at a time', async () => {
    await grant('chat');
    const long = chat([{ role: 'user', content: 'x'.repeat(9 * 1024 * 1024) }]);
    expect(await ask('/v1/chat/completions', long)).toMatchObject({ status: 413 });
  });

  it('refuses whoever asks on and on, also with what it cannot read', async () => {
    await grant('chat');
    for (let asked = 0; asked < 300; asked += 1) {
      await ask('/v1/chat/completions', 'not a conversation');
    }
    const last = await ask('/v1/chat/completions', chat([{ role: 'user', content: PROMPT }]));
    expect(last).toMatchObject({ status: 400, text: expect.stringContaining('at most 300') });
  });

  it('answers a few at a time', async () => {
    await grant('chat');
    const path = '/v1/chat/completions';
    const where = { socketPath: join(folder, 'proxy.sock'), agent: false, path, method: 'POST' };
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-length': 100 };
    const begun = Array.from({ length: 8 }, () => {
      const request = httpRequest({ ...where, headers }).on('error', () => undefined);
      request.write('{');
      return request;
    });
    await expect.poll(() => proxy.status()[0]?.active).toBe(8);
    const body = chat([{ role: 'user', content: PROMPT }]);
    expect(await ask(path, body)).toMatchObject({ status: 429 });
    for (const request of begun) request.destroy();
    await expect.poll(() => proxy.status()[0]?.active).toBe(0);
    expect(await ask(path, body)).toMatchObject({ status: 200 });
  });

  it('ends the turn whatever the commands say, and asks nothing of who asks for no work', async () => {
    await grant('chat');
    const result = (content: string) => [
      { role: 'assistant', content: '', tool_calls: [{ id: 'c', function: { name: 'bash' } }] },
      { role: 'tool', tool_call_id: 'c', content },
    ];
    const turn = (last: string) =>
      chat([{ role: 'user', content: PROMPT }, ...result('README.md'), ...result(last)]);
    const done = await ask('/v1/chat/completions', turn('switchyard-trial: changed README.md\n'));
    expect(wordsIn(done.text)).toMatch(/added a line to README\.md[^]*SWITCHYARD_STATUS: DONE$/);
    const failed = await ask('/v1/chat/completions', turn('no file to write to'));
    expect(wordsIn(failed.text)).toMatch(/could not add its line[^]*SWITCHYARD_STATUS: BLOCKED$/);
    const test = await ask('/v1/chat/completions', chat([{ role: 'user', content: 'Say ready.' }]));
    expect(wordsIn(test.text)).toMatch(/^ready\. A scripted model did this on trial/);
  });
});

/** The text of a stream in the chat format. */
function wordsIn(stream: string): string {
  return stream
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)))
    .map(({ choices }) => choices?.[0]?.delta?.content ?? '')
    .join('');
}
