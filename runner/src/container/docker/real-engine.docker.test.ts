import { randomUUID } from 'node:crypto';
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashToken } from '../../egress/grant.ts';
import { ProxyServer, closed, listening } from '../../egress/proxy-server.ts';
import type { EngineContainer } from '../container-engine.ts';
import { DockerContainerEngine } from './docker-engine.ts';
import { defaultSandboxImage } from './image/default-sandbox-image.ts';

const image = process.env['SWITCHYARD_TEST_IMAGE'] ?? defaultSandboxImage;
const engine = new DockerContainerEngine({ image });
const skipReason = await engine.check().then(
  () => null,
  (error: unknown) => String(error),
);
const TOKEN = 'attempt-token';
const KEY = 'provider-key';
const runnerId = `test-${randomUUID().slice(0, 8)}`;

const config = `
model = "fake-model"
model_provider = "proxy"
check_for_update_on_startup = false
[model_providers.proxy]
name = "Proxy"
base_url = "http://127.0.0.1:8099/v1"
wire_api = "responses"
env_key = "PROXY_TOKEN"
request_max_retries = 0
stream_max_retries = 0
`;

/** The shortest answer that a provider of this kind can stream. */
function sse(...events: { type: string; [field: string]: unknown }[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

type Message = { id?: number; method?: string; result?: unknown; params?: Record<string, unknown> };

/** Just enough of a client to see that the engine lives. */
class Peer {
  readonly messages: Message[] = [];
  readonly #container: EngineContainer;
  #lastId = 0;

  constructor(container: EngineContainer, signal: AbortSignal) {
    this.#container = container;
    const lines = createInterface({ input: Readable.from(container.stdout(0, signal)) });
    lines.on('line', (line) => this.messages.push(JSON.parse(line)));
  }

  async ask(method: string, params: unknown): Promise<unknown> {
    const id = ++this.#lastId;
    await this.#container.write(Buffer.from(`${JSON.stringify({ id, method, params })}\n`));
    const answer = await this.wait((message) => message.id === id && message.method === undefined);
    return answer.result;
  }

  async wait(wanted: (message: Message) => boolean): Promise<Message> {
    for (const end = Date.now() + 20_000; Date.now() < end; await delay(5)) {
      const found = this.messages.find(wanted);
      if (found) return found;
    }
    throw new Error('the engine did not say it within 20 s');
  }
}

describe.skipIf(skipReason !== null)(
  `real engine in a container${skipReason === null ? '' : ` (skipped: ${skipReason})`}`,
  { timeout: 60_000 },
  () => {
    let folder: string;
    const proxy = new ProxyServer();
    const seen: { authorization: string | undefined; url: string | undefined }[] = [];
    const provider = createServer((request: IncomingMessage, response) => {
      seen.push({ authorization: request.headers.authorization, url: request.url });
      request.resume();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const item = {
        type: 'message',
        role: 'assistant',
        id: 'm1',
        content: [{ type: 'output_text', text: 'hello from outside' }],
      };
      const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
      response.end(
        sse(
          { type: 'response.created', response: { id: 'r1' } },
          { type: 'response.output_item.done', item },
          { type: 'response.completed', response: { id: 'r1', usage } },
        ),
      );
    });

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'swy-engine-test-'));
      await chmod(folder, 0o755);
      for (const name of ['workspace', 'home', 'access']) await mkdir(join(folder, name));
      await writeFile(join(folder, 'home', 'config.toml'), config);
      const id = engine.workIdentity;
      if (id) {
        for (const path of ['workspace', 'home', 'home/config.toml']) {
          await chown(join(folder, path), id.uid, id.gid);
        }
      }
      await listening(provider, { host: '127.0.0.1', port: 0 });
      await proxy.grant({
        attemptId: 'real',
        epoch: 1,
        tokenHash: hashToken(TOKEN),
        apiKey: KEY,
        upstreamBaseUrl: `http://127.0.0.1:${(provider.address() as AddressInfo).port}`,
        expiresAtMs: Date.now() + 600_000,
        socketFolder: join(folder, 'access'),
      });
    });

    afterAll(async () => {
      for (const container of await engine.list(runnerId)) {
        await container.stop(0);
        await container.remove();
      }
      await engine.close();
      await proxy.close();
      await closed(provider);
      await rm(folder, { recursive: true, force: true });
    });

    it('answers initialize, does a turn through the proxy, and ends on TERM', async () => {
      const abort = new AbortController();
      const container = await engine.start({
        owner: { runnerId, attemptId: 'real', epoch: 1, bootId: 'boot' },
        image,
        argv: ['codex', 'app-server'],
        env: { HOME: '/home/agent', CODEX_HOME: '/home/agent', PROXY_TOKEN: TOKEN },
        workingDirectory: '/workspace',
        mounts: [
          { hostPath: join(folder, 'workspace'), containerPath: '/workspace', readOnly: false },
          { hostPath: join(folder, 'home'), containerPath: '/home/agent', readOnly: false },
        ],
        resources: { memoryBytes: 2 ** 30, cpus: 2, pids: 256, tmpfsBytes: 2 ** 26 },
        proxy: { socketFolder: join(folder, 'access'), hostPort: 0 },
        stateFolder: join(folder, 'state'),
      });
      const peer = new Peer(container, abort.signal);
      const clientInfo = { name: 'switchyard-test', version: '1', title: null };
      expect(await peer.ask('initialize', { clientInfo })).toMatchObject({
        userAgent: expect.stringContaining('0.169.0'),
        codexHome: '/home/agent',
      });
      const started = await peer.ask('thread/start', {
        cwd: '/workspace',
        sandbox: 'danger-full-access',
        approvalPolicy: 'never',
      });
      const { thread } = started as { thread: { id: string } };
      const input = [{ type: 'text', text: 'say hello' }];
      await peer.ask('turn/start', { threadId: thread.id, input });
      const end = await peer.wait((message) => message.method === 'turn/completed');
      expect(end.params?.['turn']).toMatchObject({ status: 'completed' });
      expect(JSON.stringify(peer.messages)).toContain('hello from outside');
      expect(seen).toEqual([{ authorization: `Bearer ${KEY}`, url: '/v1/responses' }]);
      const exit = await container.stop(5000);
      expect(exit).toEqual({ exitCode: 0, signal: null, oom: false });
      abort.abort();
    });
  },
);
