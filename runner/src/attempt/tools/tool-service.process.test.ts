import { mkdtemp, mkdir, rm, stat } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { ToolSpec } from '@switchyard/shared/protocol/attempt-spec';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../connection/clock.ts';
import { hashToken } from '../../egress/grant.ts';
import { ProxyServer } from '../../egress/proxy-server.ts';
import type { ToolAnswer, ToolCall } from '../../engine/agent-engine.ts';
import { ToolService } from './tool-service.ts';
import { sendAllFirst } from '../../../../test/support/fronts/send-all-first.ts';

const TOKEN = 'sw_attempt-token';
const ref = { attemptId: 'A1', epoch: 1 };
const weather: ToolSpec = {
  name: 'weather_api',
  description: 'Tells the weather.',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const modes = [
  ['2025-11-25, by a handshake', 'legacy'],
  ['2026-07-28, without one', { pin: '2026-07-28' }],
  ['whichever it finds', 'auto'],
] as const;

let dataDir: string;
let proxy: ProxyServer;
let service: ToolService;
let calls: ToolCall[];
let answerCall: (call: ToolCall) => Promise<ToolAnswer>;
let clients: Client[];

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'swy-tools-'));
  await mkdir(join(dataDir, 'egress'), { mode: 0o700 });
  calls = [];
  clients = [];
  answerCall = async ({ arguments: given }) => ({ success: true, text: JSON.stringify(given) });
  proxy = new ProxyServer({
    tools: {
      socket: join(dataDir, 'egress', 'tools.sock'),
      limits: { quickMs: 50, keepAliveMs: 50, bodyTimeoutMs: 2_000 },
      lineLimits: { awayMs: 1_500, retryMs: 20 },
    },
  });
  await proxy.listen();
  await proxy.grant({
    ...ref,
    tokenHash: hashToken(TOKEN),
    upstreamBaseUrl: 'http://127.0.0.1:9/v1',
    apiKey: 'key',
    expiresAtMs: Date.now() + 600_000,
    socketFolder: null,
  });
  await startRunner();
});
afterEach(async () => {
  for (const client of clients) await client.close();
  await service.close();
  await proxy.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** A runner process, perhaps a second one, that holds the attempt. */
async function startRunner(): Promise<void> {
  service = new ToolService({ dataDir, clock: systemClock() });
  await service.serve({
    ref,
    offered: [weather],
    requestMs: 0,
    callTool: (call) => {
      calls.push(call);
      return answerCall(call);
    },
    requestOpened: () => undefined,
    turnId: () => 'turn-1',
  });
}

async function connect(
  mode: 'legacy' | 'auto' | { pin: string } = 'legacy',
  token = TOKEN,
): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: mode === 'legacy' || mode === 'auto' ? mode : { ...mode } } },
  );
  const url = new URL(`http://127.0.0.1:${proxy.hostPort}/mcp`);
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  clients.push(client);
  return client;
}

const ask = (client: Client, city: string, name = weather.name) =>
  client.callTool({ name, arguments: { city } });
const said = (text: string) => ({ content: [{ type: 'text', text }], isError: false });

function post(
  body: unknown,
  change: { method?: string; headers?: Record<string, string> } = {},
): Promise<{ status: number; body: string; headers: NodeJS.Dict<string | string[]> }> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const headers = {
    authorization: `Bearer ${TOKEN}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...change.headers,
  };
  const where = { host: '127.0.0.1', port: proxy.hostPort, path: '/mcp' };
  const { method = 'POST' } = change;
  return new Promise((resolve, reject) => {
    const request = httpRequest({ ...where, method, headers }, (response) => {
      let whole = '';
      response.on('data', (chunk: Buffer) => (whole += chunk.toString()));
      response.on('end', () => {
        const { statusCode: status = 0 } = response;
        resolve({ status, body: whole, headers: response.headers });
      });
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(method === 'POST' ? text : undefined);
  });
}
const toolCall = (id: number, city = 'Rome') => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: weather.name, arguments: { city } },
});

describe('tools over MCP', () => {
  it.each(modes)('serves a client of %s', async (_, mode) => {
    const client = await connect(mode);
    const { tools } = await client.listTools();
    expect(tools).toMatchObject([weather]);
    expect(await ask(client, 'Rome')).toMatchObject(said('{"city":"Rome"}'));
    answerCall = async () => ({ success: false, text: 'Refused (not_allowed)' });
    expect(await ask(client, 'Oslo')).toMatchObject({
      ...said('Refused (not_allowed)'),
      isError: true,
    });
    expect(await ask(client, 'Oslo', 'other')).toMatchObject({ isError: true });
    expect(calls.map(({ arguments: given }) => given)).toEqual([
      { city: 'Rome' },
      { city: 'Oslo' },
    ]);
  });

  it.each(modes)('tells a client of %s that a long call goes on', async (_, mode) => {
    const client = await connect(mode);
    let end: (answer: ToolAnswer) => void = () => undefined;
    answerCall = () => new Promise((resolve) => (end = resolve));
    const progress: number[] = [];
    const answered = client.callTool(
      { name: weather.name, arguments: { city: 'Rome' } },
      {
        timeout: 1_000,
        resetTimeoutOnProgress: true,
        onprogress: (step) => {
          progress.push(step.progress);
          // Longer than the client's patience in all.
          if (progress.length === 30) end({ success: true, text: 'dry' });
        },
      },
    );
    expect(await answered).toMatchObject(said('dry'));
    expect(progress.length).toBeGreaterThanOrEqual(30);
  });

  it('carries a call out once, however often it is posted', async () => {
    let end: (answer: ToolAnswer) => void = () => undefined;
    answerCall = () => new Promise((resolve) => (end = resolve));
    const both = [post(toolCall(7)), post(toolCall(7))];
    await expect.poll(() => calls.length).toBe(1);
    end({ success: true, text: 'once' });
    for (const reply of await Promise.all(both)) expect(reply.body).toContain('"text":"once"');
    expect((await post(toolCall(7))).body).toContain('"text":"once"');
    expect(calls).toHaveLength(1);
    answerCall = async () => ({ success: true, text: 'again' });
    expect((await post(toolCall(8))).body).toContain('again');
    // The same id in another session of the client is another call.
    const other = await post(toolCall(7), { headers: { 'mcp-session-id': 'other' } });
    expect(other.body).toContain('again');
  });

  it('does not begin a call again that a dead runner had begun', async () => {
    const client = await connect();
    answerCall = () => new Promise(() => undefined);
    const answered = ask(client, 'Rome');
    await expect.poll(() => calls.length).toBe(1);
    await service.close();
    await startRunner();
    const { content } = await answered;
    expect(JSON.stringify(content)).toContain('look before you repeat it');
    expect(calls).toHaveLength(1);
  });

  it('waits for a runner that restarts, and says so when it stays away', async () => {
    const client = await connect();
    await service.close();
    const waiting = ask(client, 'Rome');
    await startRunner();
    expect(await waiting).toMatchObject(said('{"city":"Rome"}'));
    await service.close();
    const refused = await ask(client, 'Oslo');
    expect(refused).toMatchObject({ isError: true });
    expect(JSON.stringify(refused)).toContain('Nothing was done');
    answerCall = () => new Promise(() => undefined);
    await startRunner();
    const uncertain = ask(client, 'Paris');
    await expect.poll(() => calls.length).toBe(2);
    await service.close();
    expect(JSON.stringify(await uncertain)).toContain('look before you repeat it');
  });

  it('has a limit on calls at a time', async () => {
    const client = await connect();
    answerCall = () => new Promise(() => undefined);
    for (let city = 0; city < 4; city += 1) void ask(client, `${city}`).catch(() => undefined);
    await expect.poll(() => calls.length).toBe(4);
    expect(JSON.stringify(await ask(client, '5'))).toContain('Too many calls');
  });

  it('opens its socket to this user alone', async () => {
    const socket = await stat(join(dataDir, 'egress', 'tools.sock'));
    expect(socket.mode & 0o777).toBe(0o600);
  });

  it.each([
    ['another token', {}, { authorization: 'Bearer sw_other' }, 401],
    ['no token', {}, { authorization: '' }, 401],
    ['a page of a browser', toolCall(1), { origin: 'http://127.0.0.1' }, 403],
    ['another name for this host', toolCall(1), { host: 'evil.example:80' }, 403],
    ['another kind of content', toolCall(1), { 'content-type': 'text/plain' }, 415],
    ['what is not JSON', '{', {}, 400],
    ['several messages at once', [toolCall(1)], {}, 400],
    ['a body that is too long', toolCall(1, 'x'.repeat(300_000)), {}, 413],
    ['a version that is not there', toolCall(1), { 'mcp-protocol-version': '1999-01-01' }, 400],
  ])('refuses %s', async (_, body, headers, status) => {
    const reply = await post(body, { headers: { ...headers } });
    expect(reply.status).toBe(status);
    expect(calls).toEqual([]);
  });

  it('tells a client that sends all before it reads that its body is too long', async () => {
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
    const sent = { path: '/mcp', headers, body: 'x'.repeat(20_000_000) };
    expect(await sendAllFirst(proxy.hostPort, sent)).toBe(413);
  });

  it('refuses a stateless request whose headers say something else', async () => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const whole = toolCall(1);
    const body = { ...whole, params: { ...whole.params, _meta: meta } };
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call' };
    const wrong = await post(body, { headers: { ...headers, 'mcp-name': 'harmless' } });
    expect(wrong.status).toBe(400);
    expect(wrong.body).toContain('-32020');
    expect(calls).toEqual([]);
    const right = await post(body, { headers: { ...headers, 'mcp-name': weather.name } });
    expect(JSON.parse(right.body)).toMatchObject({ result: { resultType: 'complete' } });
  });

  it('says that there is neither a stream nor a session to end', async () => {
    for (const method of ['GET', 'DELETE']) {
      const reply = await post('', { method });
      expect([reply.status, reply.headers['allow']]).toEqual([405, 'POST']);
    }
  });
});
