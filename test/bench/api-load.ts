import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { hammer, type Rate } from './api-clients.ts';
import { HISTORY_ORIGIN, LONG_HISTORY, seedHistory } from './api-history.ts';
import { startControlPlaneProcess } from './control-plane-process.ts';
import { median } from './median.ts';
import { startService } from './started-service.ts';

const MIB = 1_048_576;
const DURATION_MS = 2_000;
const WARM_UP_MS = 500;
const BARE_MS = 1_000;
const STARTS = 3;
const READY_TIMEOUT_MS = 60_000;
const ENVIRONMENT = { SERVICE_PUBLIC_ORIGIN: HISTORY_ORIGIN };

/**
 * Requests per second and p99, also as shares of the bare route's right before; and what a request
 * costs the process, which says most on a machine that does much else.
 */
export type RouteLoad = Rate & { ratio: number; p99Ratio: number; cpuMs: number };
export type ApiStart = { readyMs: number; residentMib: number };
export type ApiLoad = {
  bare: Rate;
  history: typeof LONG_HISTORY;
  empty: Record<string, RouteLoad>;
  full: Record<string, RouteLoad>;
  emptyStart: ApiStart;
  fullStart: ApiStart;
};

const Ready = z.object({ url: z.string() });

/** The API under ten clients, without any work and with a long history, against a bare route. */
export async function measureApiLoad(): Promise<ApiLoad> {
  const bare = await startBare();
  try {
    const empty = await measureRoutes(bare, null);
    const full = await measureRoutes(bare, seedHistory);
    return { bare: bare.usual(), history: LONG_HISTORY, empty, full, ...(await measureStarts()) };
  } finally {
    await bare.stop();
  }
}

async function measureStarts(): Promise<Pick<ApiLoad, 'emptyStart' | 'fullStart'>> {
  return {
    emptyStart: await measureStart(null),
    fullStart: await measureStart(seedHistory),
  };
}

type Bare = {
  /** Its rate at this moment: what else the machine does meanwhile slows both alike. */
  measure(): Promise<Rate>;
  /** The median of all that was measured so far. */
  usual(): Rate;
  stop(): Promise<void>;
};

async function startBare(): Promise<Bare> {
  const child = fork(join(import.meta.dirname, 'api-bare-host.ts'), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    if (child.connected) child.disconnect();
    await gone;
  };
  try {
    const signal = AbortSignal.timeout(READY_TIMEOUT_MS);
    const [message] = (await once(child, 'message', { signal })) as unknown[];
    const { url } = Ready.parse(message);
    await hammer(url, { durationMs: WARM_UP_MS });
    const rates: Rate[] = [];
    return {
      async measure() {
        const rate = await hammer(url, { durationMs: BARE_MS });
        rates.push(rate);
        return rate;
      },
      usual: () => ({
        requests: rates.reduce((sum, { requests }) => sum + requests, 0),
        perS: median(rates.map(({ perS }) => perS)),
        p99Ms: median(rates.map(({ p99Ms }) => p99Ms)),
        bytes: rates[0]?.bytes ?? 0,
      }),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Seed = ((dataDir: string) => Promise<void>) | null;

async function measureRoutes(bare: Bare, seed: Seed): Promise<Record<string, RouteLoad>> {
  const plane = await startControlPlaneProcess(ENVIRONMENT, seed ?? undefined);
  try {
    const identifier = seed === null ? await createIssue(plane) : 'SY-1000';
    const routes: Record<string, string> = {
      runtime: '/api/v1/runtime',
      state: '/api/v1/state',
      issue: `/api/v1/${identifier}`,
      attempts: `/api/v1/${identifier}/attempts`,
      metrics: '/metrics',
    };
    const loads: Record<string, RouteLoad> = {};
    const measure = async (name: string, path: string, more: Parameters<typeof hammer>[1]) => {
      await hammer(`${plane.url}${path}`, { ...more, durationMs: WARM_UP_MS });
      const { perS, p99Ms } = await bare.measure();
      const before = await plane.use();
      const rate = await hammer(`${plane.url}${path}`, more);
      const cpuMs = ((await plane.use()).cpuMs - before.cpuMs) / rate.requests;
      loads[name] = { ...rate, ratio: rate.perS / perS, p99Ratio: rate.p99Ms / p99Ms, cpuMs };
    };
    for (const [name, path] of Object.entries(routes)) {
      await measure(name, path, { durationMs: DURATION_MS });
      if (name === 'metrics') continue;
      const etag = await etagOf(`${plane.url}${path}`);
      if (etag === null) continue;
      const headers = { 'If-None-Match': etag };
      // Now and then something changes meanwhile, and the whole answer comes once.
      const expected = [304, 200];
      await measure(`${name} unchanged`, path, { durationMs: DURATION_MS, headers, expected });
    }
    return loads;
  } finally {
    await plane.stop();
  }
}

async function createIssue(plane: {
  post<T>(path: string, body: unknown): Promise<T>;
}): Promise<string> {
  const { identifier } = await plane.post<{ identifier: string }>('/local/issues', {
    title: 'Nothing runs it',
    state: 'Backlog',
  });
  return identifier;
}

async function etagOf(url: string): Promise<string | null> {
  const response = await fetch(url);
  await response.body?.cancel();
  return response.headers.get('ETag');
}

async function measureStart(seed: Seed): Promise<ApiStart> {
  const dataDir = await mkdtemp(join(tmpdir(), 'switchyard-bench-'));
  const ready: number[] = [];
  const memory: number[] = [];
  try {
    if (seed !== null) await seed(dataDir);
    for (let start = 0; start <= STARTS; start += 1) {
      const service = await startService({ dataDir, flags: ['--no-runner'], env: ENVIRONMENT });
      const residentMib = (await service.residentBytes()) / MIB;
      await service.stop();
      // The first one makes what the others find.
      if (start === 0) continue;
      ready.push(service.readyMs);
      memory.push(residentMib);
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
  return { readyMs: median(ready), residentMib: median(memory) };
}
