import { isSecretVariable } from '@switchyard/shared/settings/take-secret-variables';
import { textTail } from '@switchyard/shared/text/cut-text';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { CommandError } from '../client/command-error.ts';
import {
  currentPlatform,
  nodePackageFor,
  recommendedVersion,
} from '../bootstrap/node-packages.mjs';
import { EXIT } from '../client/exit.ts';

const TIMEOUT_MS = 600_000;
const SHOWN_CHARS = 4_000;

/** The command that runs wrangler: a program and its first arguments. */
export type Wrangler = readonly [string, ...string[]];

/** The version of wrangler that the Worker is tested with. */
const WRANGLER_VERSION = '4.156.2';

/** The checkout's wrangler; in a package npm fetches it, with a Node that supports it. */
export function findWrangler(say: (line: string) => void): Wrangler {
  const path = installedWrangler();
  const isRecent = Number(process.versions.node.split('.')[0]) >= 22;
  if (path !== null && isRecent) return [process.execPath, path];
  const node = isRecent ? null : nodePackageFor(currentPlatform());
  if (node === null && !isRecent) {
    throw new CommandError(
      `wrangler needs Node 22 and none can be fetched for this machine: install Node ${recommendedVersion} and try again`,
      EXIT.notConfigured,
    );
  }
  say(
    `npm fetches wrangler ${WRANGLER_VERSION}${node === null ? '' : ` and Node ${node.version}`}`,
  );
  return [
    ...(['npm', 'exec', '--yes', `--package=wrangler@${WRANGLER_VERSION}`] as const),
    ...(node === null ? [] : [`--package=${node.name}@${node.version}`]),
    '--',
    'wrangler',
  ];
}

function installedWrangler(): string | null {
  try {
    const manifest = createRequire(import.meta.url).resolve('wrangler/package.json');
    const path = join(dirname(manifest), 'bin/wrangler.js');
    return existsSync(path) ? path : null;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return null;
    throw error;
  }
}

/**
 * Runs wrangler in `folder` and returns its output. `input` is written to its standard input, which
 * no other process can read. Throws with its last output when it fails.
 */
export async function runWrangler(
  { wrangler, folder }: { wrangler: Wrangler; folder: string },
  args: readonly string[],
  input: string | null = null,
): Promise<string> {
  const [command, ...first] = wrangler;
  const child = spawn(command, [...first, ...args], {
    cwd: folder,
    // wrangler may need to ask for a sign-in; with piped input it must not wait for a person.
    stdio: [input === null ? 'inherit' : 'pipe', 'pipe', 'pipe'],
    env: {
      ...withoutServiceSettings(),
      WRANGLER_SEND_METRICS: 'false',
      WRANGLER_HIDE_BANNER: 'true',
    },
    timeout: TIMEOUT_MS,
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  child.stdin?.end(input ?? '');
  const [out, problems, code] = await Promise.all([
    child.stdout === null ? '' : text(child.stdout),
    child.stderr === null ? '' : text(child.stderr),
    ended,
  ]);
  if (code === 0) return out;
  const lastOutput = textTail(`${out}\n${problems}`.trim(), SHOWN_CHARS);
  throw new CommandError(`wrangler ${args[0]} failed:\n${lastOutput}`, EXIT.failed);
}

/** The environment without the service's settings and tokens, which wrangler must not get. */
function withoutServiceSettings(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !name.startsWith('SERVICE_') && !isSecretVariable(name),
    ),
  );
}
