import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { deferred } from '@switchyard/shared/deferred';
import { CommandError } from '../client/command-error.ts';
import { EXIT } from '../client/exit.ts';
import type { Children } from './create-children.ts';
import type { Workerd } from './find-workerd.ts';
import { workerConfig } from './worker-config.ts';

/** Includes the time npm may need to fetch the runtime. */
const READY_TIMEOUT_MS = 300_000;
/** workerd's report that its socket listens. */
const READY = /^\{"event":"listen","socket":"http","port":(\d+)\}$/;
/** A notice about a flag that wrangler needs and workerd does not. */
const NOTICE = /The compatibility flag \S+ became the default/;

/**
 * Serves the Worker in workerd on loopback. Only the Worker's port is open, none for inspection or
 * control. Durable Objects are stored in `folder`. The settings are passed through workerd's
 * environment and written to no file.
 */
export async function startLocalWorker(input: {
  folder: string;
  product: string;
  workerd: Workerd;
  children: Children;
  port: number;
  settings: Readonly<Record<string, string | null>>;
  /**
   * Called with each line that the Worker prints after its start, without empty lines and notices.
   */
  line: (text: string) => void;
}): Promise<{ url: string }> {
  const { folder, product } = input;
  // An earlier version may have left the Worker's secrets in this folder.
  const place = join(folder, 'worker');
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { mode: 0o700 });
  const objects = join(folder, 'objects', 'v3', 'do');
  mkdirSync(objects, { recursive: true });
  const settings = Object.fromEntries(
    Object.entries(input.settings).flatMap(([name, value]) =>
      value === null ? [] : [[name, value]],
    ),
  );
  const config = join(place, 'config.capnp');
  writeFileSync(
    config,
    workerConfig({
      objects,
      port: input.port,
      deployment: randomUUID(),
      settings: readFileSync(join(product, 'wrangler.toml'), 'utf8'),
      worker: join(product, 'worker/worker.js'),
      assetServer: fileURLToPath(new URL('./serve-assets.mjs', import.meta.url)),
      assets: join(product, 'dashboard/dist'),
      certificates: extraCertificates(process.env['NODE_EXTRA_CA_CERTS']),
      variables: Object.keys(settings),
    }),
  );
  const ready = deferred<string>();
  let isReady = false;
  const { exited, lastLines } = input.children.start({
    what: 'the Worker',
    command: [...input.workerd, 'serve', '--import-path', '/', '--control-fd', '1', config],
    cwd: place,
    env: { ...withoutServiceSettings(), ...settings, NO_COLOR: '1' },
    endsAtOnce: true,
    line(text) {
      const port = READY.exec(text)?.[1];
      if (port !== undefined && !isReady) {
        isReady = true;
        ready.resolve(`http://127.0.0.1:${port}`);
      } else if (isReady && text.trim() !== '' && !NOTICE.test(text)) input.line(text);
    },
  });
  const url = await Promise.race([
    ready.promise,
    exited,
    delay(READY_TIMEOUT_MS, undefined, { ref: false }),
  ]);
  if (url !== undefined) return { url };
  const why = lastLines().includes('Address already in use')
    ? `port ${input.port} is taken by another program; choose another with --port (0 takes any)`
    : `the Worker did not start:\n${lastLines()}`;
  throw new CommandError(why, EXIT.failed);
}

/** Certificates that Node trusts additionally; like Node, it ignores a file that cannot be read. */
function extraCertificates(path: string | undefined): string[] {
  if (path === undefined) return [];
  const pattern = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
  try {
    return readFileSync(path, 'utf8').match(pattern) ?? [];
  } catch (error) {
    if (error instanceof Error && 'code' in error) return [];
    throw error;
  }
}

/**
 * This command's environment without the service's settings; the Worker gets its own separately.
 */
function withoutServiceSettings(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('SERVICE_')),
  );
}
