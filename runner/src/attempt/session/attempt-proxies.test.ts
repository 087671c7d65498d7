import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { systemClock } from '../../connection/clock.ts';
import { ProcessContainerEngine } from '../../container/process/process-engine.ts';
import { ToolService } from '../tools/tool-service.ts';
import { AttemptProxies } from './attempt-proxies.ts';

const ref = { attemptId: 'A1', epoch: 1 };
const tool = { name: 'weather_api', description: 'Tells it.', inputSchema: { type: 'object' } };
const provider = {
  providerBaseUrl: 'http://127.0.0.1:9/v1',
  wireApi: 'responses',
  apiKey: 'key',
} as const;

let dataDir: string;
let last: AttemptProxies;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'swy-access-'));
});
afterEach(async () => {
  await last.stopProcess();
  await rm(dataDir, { recursive: true, force: true });
});

/** What a process of the runner has of it; `secret` stands for the runner's identity. */
async function startProcess(secret = 'this runner'): Promise<AttemptProxies> {
  const containers = new ProcessContainerEngine({ registryFolder: join(dataDir, 'processes') });
  last = new AttemptProxies({ dataDir, containers, tokenSecret: Buffer.from(secret) });
  await last.start();
  await last.leaseRenewed(60_000);
  return last;
}

describe('what an attempt was granted', { timeout: 30_000 }, () => {
  it('is known to a later process, and opens its tools', async () => {
    const first = await startProcess();
    const { tokenHash, ...before } = await first.grant({ ref, ...provider });
    const second = await startProcess();
    await second.adopt({ ref, ...provider, tokenHash });
    const granted = await second.granted({ ref, tokenHash, isolation: 'process' });
    expect(granted).toEqual(before);
    const tools = new ToolService({ dataDir, clock: systemClock() });
    await tools.serve({
      ref,
      offered: [tool],
      requestMs: 0,
      callTool: async () => ({ success: true, text: 'sunny' }),
      requestOpened: () => undefined,
      turnId: () => null,
    });
    const client = new Client({ name: 'test', version: '1' });
    const requestInit = { headers: { authorization: `Bearer ${granted?.token}` } };
    const url = new URL('/mcp', granted?.baseUrl);
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([tool.name]);
    await client.close();
    await tools.close();
  });

  it('is another one for each lease and each runner, and stands in no file', async () => {
    const proxies = await startProcess();
    const { token, tokenHash } = await proxies.grant({ ref, ...provider });
    const next = await proxies.grant({ ref: { ...ref, epoch: 2 }, ...provider });
    expect(next.token).not.toBe(token);
    const other = await startProcess('another runner');
    expect(await other.granted({ ref, tokenHash, isolation: 'process' })).toBeNull();
    for (const entry of await readdir(dataDir, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const text = await readFile(join(entry.parentPath, entry.name), 'latin1');
      expect(text, entry.name).not.toContain(token);
    }
  });
});
