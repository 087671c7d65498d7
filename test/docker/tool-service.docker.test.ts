import { randomUUID } from 'node:crypto';
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../runner/src/connection/clock.ts';
import { DockerContainerEngine } from '../../runner/src/container/docker/docker-engine.ts';
import { defaultSandboxImage } from '../../runner/src/container/docker/image/default-sandbox-image.ts';
import { hashToken } from '../../runner/src/egress/grant.ts';
import { ProxyServer } from '../../runner/src/egress/proxy-server.ts';
import type { ToolCall } from '../../runner/src/engine/agent-engine.ts';
import { ToolService } from '../../runner/src/attempt/tools/tool-service.ts';

const image = process.env['SWITCHYARD_TEST_IMAGE'] ?? defaultSandboxImage;
const engine = new DockerContainerEngine({ image });
const skipReason = await engine.check().then(
  () => null,
  (error: unknown) => String(error),
);
const TOKEN = 'sw_attempt-token';
const runnerId = `test-${randomUUID().slice(0, 8)}`;
const ref = { attemptId: `a${randomUUID().slice(0, 8)}`, epoch: 1 };

/** What runs inside: a client of each generation, and one without the attempt's token. */
const PROGRAM = `
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
const url = new URL('http://127.0.0.1:8099/mcp');
async function connect(mode, token) {
  const client = new Client({ name: 'inside', version: '1' }, { versionNegotiation: { mode } });
  const requestInit = { headers: { authorization: 'Bearer ' + token } };
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  return client;
}
const told = [];
for (const mode of ['legacy', { pin: '2026-07-28' }]) {
  const client = await connect(mode, process.env.TOKEN);
  const { tools } = await client.listTools();
  const quick = await client.callTool({ name: tools[0].name, arguments: { city: 'Rome' } });
  let steps = 0;
  const slow = await client.callTool(
    { name: tools[0].name, arguments: { city: 'slow' } },
    { onprogress: () => (steps += 1) },
  );
  told.push([quick.content[0].text, slow.content[0].text, steps > 0]);
  await client.close();
}
const refused = await connect('legacy', 'sw_other').then(() => 'let in', () => 'refused');
console.log(JSON.stringify({ told, refused }));
`;

describe.skipIf(skipReason !== null)(
  `tools over MCP in a container${skipReason === null ? '' : ` (skipped: ${skipReason})`}`,
  { timeout: 60_000 },
  () => {
    let folder: string;
    let proxy: ProxyServer;
    let service: ToolService;
    const calls: ToolCall[] = [];

    beforeAll(async () => {
      folder = await realpath(await mkdtemp(join(tmpdir(), 'swy-tools-')));
      await chmod(folder, 0o755);
      for (const name of ['access', 'data', 'program']) await mkdir(join(folder, name));
      await writeFile(join(folder, 'program', 'source.mjs'), PROGRAM);
      const bundle = await rolldown({
        input: join(folder, 'program', 'source.mjs'),
        platform: 'node',
        logLevel: 'silent',
        resolve: { modules: [join(import.meta.dirname, '../../node_modules')] },
      });
      const file = join(folder, 'program', 'client.mjs');
      await bundle.write({ file, format: 'esm', codeSplitting: false });
      await bundle.close();
      service = new ToolService({ dataDir: join(folder, 'data'), clock: systemClock() });
      await service.serve({
        ref,
        requestMs: 0,
        requestOpened: () => undefined,
        turnId: () => null,
        offered: [{ name: 'weather_api', description: 'x', inputSchema: { type: 'object' } }],
        callTool: async (call) => {
          calls.push(call);
          const slow = JSON.stringify(call.arguments).includes('slow');
          if (slow) await new Promise((resolve) => setTimeout(resolve, 400));
          return { success: true, text: JSON.stringify(call.arguments) };
        },
      });
      const socket = join(folder, 'data', 'egress', 'tools.sock');
      proxy = new ProxyServer({ tools: { socket, limits: { quickMs: 100, keepAliveMs: 50 } } });
      await proxy.grant({
        ...ref,
        tokenHash: hashToken(TOKEN),
        apiKey: 'key',
        upstreamBaseUrl: 'http://127.0.0.1:9/v1',
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
      await service.close();
      await rm(folder, { recursive: true, force: true });
    });

    it('serves clients of both generations through the shim, and nobody without the token', async () => {
      const readOnly = true;
      const container = await engine.start({
        owner: { runnerId, ...ref, bootId: 'boot' },
        image,
        argv: ['/opt/client/node', '/opt/program/client.mjs'],
        env: { TOKEN },
        workingDirectory: '/tmp',
        mounts: [
          { hostPath: join(folder, 'program'), containerPath: '/opt/program', readOnly },
          { hostPath: process.execPath, containerPath: '/opt/client/node', readOnly },
        ],
        resources: { memoryBytes: 2 ** 30, cpus: 2, pids: 256, tmpfsBytes: 2 ** 26 },
        proxy: { socketFolder: join(folder, 'access'), hostPort: 0 },
        stateFolder: join(folder, 'state'),
      });
      let output = '';
      const reading = new AbortController();
      for await (const chunk of container.stdout(0, reading.signal)) {
        output += Buffer.from(chunk).toString();
      }
      expect(await container.stderrTail(2_000)).toBe('');
      const answers = ['{"city":"Rome"}', '{"city":"slow"}', true];
      expect(JSON.parse(output)).toEqual({ told: [answers, answers], refused: 'refused' });
      expect(calls).toHaveLength(4);
    });
  },
);
