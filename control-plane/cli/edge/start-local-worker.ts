import { rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { deferred } from '@switchyard/shared/deferred';
import { CommandError } from '../client/command-error.ts';
import { EXIT } from '../client/exit.ts';
import type { Wrangler } from '../deploy/run-wrangler.ts';
import { stageWorker } from '../deploy/with-staged-worker.ts';
import type { Children } from './create-children.ts';

/** npm may have to fetch wrangler first. */
const READY_TIMEOUT_MS = 300_000;
const READY = /Ready on (http:\/\/[^\s]+)/;
/** wrangler writes a line for each request. */
const REQUEST = /^\[wrangler:info\] [A-Z]+ \//;

/** Where the Worker and its settings lie while it runs. */
export function stageOf(folder: string): string {
  return join(folder, 'worker');
}

/**
 * Serves the Worker in workerd on loopback with wrangler. What objects keep stays in `folder`. The
 * settings reach wrangler through a file that its owner alone may read.
 */
export async function startLocalWorker(input: {
  folder: string;
  product: string;
  wrangler: Wrangler;
  children: Children;
  port: number;
  settings: Readonly<Record<string, string | null>>;
  /** Told what the Worker writes. */
  line: (text: string) => void;
}): Promise<{ url: string }> {
  const stage = stageOf(input.folder);
  rmSync(stage, { recursive: true, force: true });
  await mkdir(stage, { recursive: true, mode: 0o700 });
  await stageWorker(input.product, stage);
  writeFileSync(join(stage, '.dev.vars'), linesOf(input.settings), { mode: 0o600 });
  const ready = deferred<string>();
  let isReady = false;
  const { exited, lastLines } = input.children.start({
    what: 'the Worker',
    command: [
      ...input.wrangler,
      ...['dev', '--ip', '127.0.0.1', '--port', String(input.port), '--inspector-port', '0'],
      ...['--persist-to', join(input.folder, 'objects'), '--show-interactive-dev-session=false'],
    ],
    cwd: stage,
    env: {
      ...withoutServiceSettings(),
      WRANGLER_SEND_METRICS: 'false',
      WRANGLER_HIDE_BANNER: 'true',
      // Asks Cloudflare where this machine is; nobody reads it here.
      CLOUDFLARE_CF_FETCH_ENABLED: 'false',
      NO_COLOR: '1',
    },
    line(text) {
      const url = READY.exec(text)?.[1];
      if (url !== undefined && !isReady) {
        isReady = true;
        ready.resolve(url);
      } else if (isReady && text.trim() !== '' && !REQUEST.test(text)) input.line(text);
    },
  });
  const url = await Promise.race([
    ready.promise,
    exited,
    delay(READY_TIMEOUT_MS, undefined, { ref: false }),
  ]);
  if (url === undefined)
    throw new CommandError(`the Worker did not start:\n${lastLines()}`, EXIT.failed);
  return { url };
}

/** As wrangler reads a file of variables: what is in quotes is taken as it stands. */
function linesOf(settings: Readonly<Record<string, string | null>>): string {
  return Object.entries(settings)
    .flatMap(([name, value]) => (value === null ? [] : [`${name}=${quoted(name, value)}\n`]))
    .join('');
}

function quoted(name: string, value: string): string {
  const quote = ["'", '`'].find((each) => !value.includes(each));
  if (quote === undefined)
    throw new CommandError(`${name} has both ' and \`, which cannot be passed on`, EXIT.usage);
  return `${quote}${value}${quote}`;
}

/** The Worker's secrets are in their file and nowhere else. */
function withoutServiceSettings(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('SERVICE_')),
  );
}
