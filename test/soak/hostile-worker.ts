import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { type HostileKind, hostileKinds } from './hostile-kinds.ts';
import { sendHostile } from './hostile-socket.ts';
import { wait } from './wait.ts';

// In a thread of its own, so that what it does to itself is not taken for the service's slowness.

const { url } = z.object({ url: z.url() }).parse(workerData);
const Document = z.looseObject({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) });
/** Clients as a proxy of the service's own names them. */
const ADDRESSES = 64;
const over = new AbortController();
parentPort?.once('message', () => over.abort());

const answered: Record<string, Record<string, number>> = {};
const document = Document.parse(await (await fetch(`${url}/api/v1/openapi.json`)).json());
const paths = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.keys(item).map((method) => `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, 'SY-1')}`),
);
const port = Number(new URL(url).port);
let made = 0;

async function play(kind: HostileKind): Promise<void> {
  const seen: Record<string, number> = {};
  answered[kind.name] = seen;
  const client = async () => {
    while (!over.signal.aborted) {
      const index = made++;
      const address = `198.18.${index % 4}.${index % ADDRESSES}`;
      const { status } = await sendHostile({ port }, kind.make(index, address), over.signal);
      const key = status === null ? 'none' : String(status);
      seen[key] = (seen[key] ?? 0) + 1;
      await wait(kind.pauseMs, over.signal);
    }
  };
  await Promise.all(Array.from({ length: kind.atOnce }, client));
}

// A stream is no request that ends; left to the listeners below.
const kinds = hostileKinds([...paths.filter((path) => !path.endsWith('/events')), 'GET /healthz']);
await Promise.all(kinds.map(play));
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have none
parentPort?.postMessage(answered);
