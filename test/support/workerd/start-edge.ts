import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '@libsql/client';
import { drizzle } from 'drizzle-orm/libsql';
import { migrate } from 'drizzle-orm/libsql/migrator';
import { createTestHarness, type TestHarness } from 'wrangler';
import type { Database } from '../../../control-plane/src/db/database.ts';
import { MIGRATIONS } from '../core/migrations.ts';
import { repositoryRoot } from '../e2e/start-service.ts';
import { type Sqld, startSqld } from '../sqld/start-sqld.ts';

/** The objects of the control plane, by class and name. */
const OBJECTS = {
  coordinator: ['Coordinator', 'coordinator'],
  pool: ['RunnerPool', 'pool-0'],
  hub: ['EventsHub', 'hub'],
} as const;
/** The runtime waits 30 s for an object that is busy; nobody here waits for longer than this. */
const EVICTED_WITHIN_MS = 5_000;

export type EdgeObject = keyof typeof OBJECTS;

export type Edge = {
  readonly url: string;
  writeToken: string;
  /** The rows, past the Worker. */
  db: Database;
  sqld: Sqld;
  /**
   * Takes an object out of memory as the platform would; sockets sleep on. One that is at work goes
   * as soon as it is idle, perhaps only after this has answered. False: it slept.
   */
  evict(object: EdgeObject): Promise<boolean>;
  /** Ends every object, socket and request, as a deployment does; the rows stay. */
  pause(): Promise<void>;
  /** Serves again, perhaps at another address. */
  resume(): Promise<void>;
  /** What the Worker wrote. */
  logs(): string[];
  close(): Promise<void>;
};

/**
 * The control plane in workerd on loopback, as wrangler.toml describes it, with a libSQL server: a
 * new one, or `sqld`, which then ends with it.
 */
export async function startEdge(
  given: { settings?: Record<string, string>; sqld?: Sqld } = {},
): Promise<Edge> {
  process.env['WRANGLER_SEND_METRICS'] = 'false';
  process.env['CLOUDFLARE_CF_FETCH_ENABLED'] = 'false';
  const sqld = given.sqld ?? (await startSqld());
  const client = createClient({ url: sqld.url, authToken: sqld.token });
  const writeToken = `edge-${randomBytes(12).toString('hex')}`;
  let harness: TestHarness | null = null;
  const close = async () => {
    await harness?.close();
    client.close();
    await sqld.stop();
  };
  try {
    const db = drizzle(client);
    await migrate(db, { migrationsFolder: MIGRATIONS });
    // Wrangler insists on the folder; without a build it is empty.
    mkdirSync(join(repositoryRoot, 'dashboard/dist'), { recursive: true });
    const worker = {
      configPath: join(repositoryRoot, 'dist/wrangler.toml'),
      secrets: {
        SERVICE_DATABASE_URL: sqld.url,
        SERVICE_DATABASE_TOKEN: sqld.token,
        SERVICE_MASTER_KEY: randomBytes(32).toString('base64'),
        SERVICE_WRITE_TOKEN: writeToken,
        ...given.settings,
      },
    };
    harness = createTestHarness({ root: join(repositoryRoot, 'dist'), workers: [worker] });
    let url = (await harness.listen()).url.origin;
    const running = harness;
    return {
      get url() {
        return url;
      },
      writeToken,
      db,
      sqld,
      async evict(object) {
        const [exported, name] = OBJECTS[object];
        // Such a call would block this process until the object is idle, and with it the object's
        // own requests, which go through here. With a Blob among the arguments it does not block.
        const options = { name, webSockets: 'hibernate' as const, unblocking: new Blob([]) };
        const gone = running
          .getWorker()
          .evictDurableObject(exported, options)
          .then(
            () => true,
            // Its words are not passed on. A busy one is refused much later, when nobody listens.
            () => false,
          );
        return Promise.race([gone, delay(EVICTED_WITHIN_MS, true, { ref: false })]);
      },
      pause: () => running.close(),
      async resume() {
        url = (await running.listen()).url.origin;
      },
      logs: () => running.getLogs().map(({ message }) => message),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
