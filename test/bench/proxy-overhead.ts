import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashToken } from '../../runner/src/egress/grant.ts';
import { ensureProxy } from '../../runner/src/egress/ensure-proxy.ts';
import { percentile } from './percentile.ts';

const REQUESTS = 400;
const WARM_UP = 50;
const PROMPT_BYTES = 64 * 1024;
const TOKEN = 'bench-token';

/** Of one model request: until its first byte and until its end, milliseconds. */
type Times = { firstMs: number; wholeMs: number };
export type ProxyOverhead = {
  requests: number;
  directP50Ms: number;
  directP99Ms: number;
  proxiedP50Ms: number;
  proxiedP99Ms: number;
  directFirstP50Ms: number;
  proxiedFirstP50Ms: number;
  directFirstP99Ms: number;
  proxiedFirstP99Ms: number;
  /** Through the proxy, over without it. */
  ratios: { wholeP50: number; wholeP99: number; firstP50: number; firstP99: number };
};

type Where = { host: string; port: number } | { socketPath: string };

/**
 * A provider on the loopback that streams at once, asked directly and through the proxy's own
 * process: the difference is the proxy's. Direct and proxied requests take turns.
 */
export async function measureProxyOverhead(): Promise<ProxyOverhead> {
  const folder = await mkdtemp(join(tmpdir(), 'swy-bench-'));
  const upstream = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let index = 0; index < 20; index += 1) response.write(`data: ${'x'.repeat(200)}\n\n`);
      response.end();
    });
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  const { port } = upstream.address() as AddressInfo;
  const proxy = await ensureProxy(folder, { idleMinutes: 1 });
  try {
    await proxy.grant({
      attemptId: 'bench',
      epoch: 1,
      tokenHash: hashToken(TOKEN),
      apiKey: 'bench-key',
      upstreamBaseUrl: `http://127.0.0.1:${port}/v1`,
      expiresAtMs: Date.now() + 600_000,
      socketFolder: folder,
    });
    const direct: Times[] = [];
    const proxied: Times[] = [];
    const agents = [new Agent({ keepAlive: true }), new Agent({ keepAlive: true })] as const;
    for (let index = 0; index < REQUESTS + WARM_UP; index += 1) {
      const one = await ask({ host: '127.0.0.1', port }, agents[0]);
      const other = await ask({ socketPath: join(folder, 'proxy.sock') }, agents[1]);
      if (index < WARM_UP) continue;
      direct.push(one);
      proxied.push(other);
    }
    for (const agent of agents) agent.destroy();
    return summary(direct, proxied);
  } finally {
    await proxy.stop();
    upstream.close();
    upstream.closeAllConnections();
    await rm(folder, { recursive: true, force: true });
  }
}

function summary(direct: readonly Times[], proxied: readonly Times[]): ProxyOverhead {
  const whole = (times: readonly Times[], share: number): number =>
    percentile(
      times.map(({ wholeMs }) => wholeMs),
      share,
    );
  const first = (times: readonly Times[], share: number): number =>
    percentile(
      times.map(({ firstMs }) => firstMs),
      share,
    );
  const ratio = (of: typeof whole, share: number): number => of(proxied, share) / of(direct, share);
  return {
    requests: REQUESTS,
    directP50Ms: whole(direct, 0.5),
    directP99Ms: whole(direct, 0.99),
    proxiedP50Ms: whole(proxied, 0.5),
    proxiedP99Ms: whole(proxied, 0.99),
    directFirstP50Ms: first(direct, 0.5),
    directFirstP99Ms: first(direct, 0.99),
    proxiedFirstP50Ms: first(proxied, 0.5),
    proxiedFirstP99Ms: first(proxied, 0.99),
    ratios: {
      wholeP50: ratio(whole, 0.5),
      wholeP99: ratio(whole, 0.99),
      firstP50: ratio(first, 0.5),
      firstP99: ratio(first, 0.99),
    },
  };
}

function ask(where: Where, agent: Agent): Promise<Times> {
  const startedMs = performance.now();
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
    const options = { ...where, agent, method: 'POST', path: '/v1/responses', headers };
    const sent = httpRequest(options, (response) => {
      let firstMs = 0;
      response.on('data', () => (firstMs ||= performance.now() - startedMs));
      response.on('end', () => resolve({ firstMs, wholeMs: performance.now() - startedMs }));
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end('x'.repeat(PROMPT_BYTES));
  });
}

/** For the table. */
export function proxyRows(proxy: ProxyOverhead): [what: string, value: string][] {
  const ms = (value: number): string => `${value.toFixed(2)} ms`;
  const pair = (p50: number, p99: number): string => `${p50.toFixed(2)} ${p99.toFixed(2)}`;
  return [
    [`proxy: model request without it, p50 of ${proxy.requests}`, ms(proxy.directP50Ms)],
    ['proxy: the same, p99', ms(proxy.directP99Ms)],
    ['proxy: model request through it, p50', ms(proxy.proxiedP50Ms)],
    ['proxy: the same, p99', ms(proxy.proxiedP99Ms)],
    ['proxy: ratio, p50 and p99', pair(proxy.ratios.wholeP50, proxy.ratios.wholeP99)],
    ['proxy: first byte without it, p50', ms(proxy.directFirstP50Ms)],
    ['proxy: the same, p99', ms(proxy.directFirstP99Ms)],
    ['proxy: first byte through it, p50', ms(proxy.proxiedFirstP50Ms)],
    ['proxy: the same, p99', ms(proxy.proxiedFirstP99Ms)],
    ['proxy: ratio, p50 and p99', pair(proxy.ratios.firstP50, proxy.ratios.firstP99)],
  ];
}
