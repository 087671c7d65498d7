import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { CommandError } from '../client/command-error.ts';
import { EXIT } from '../client/exit.ts';
import { repositoryRoot } from '../../src/platform/node/service-version.ts';

const TIMEOUT_MS = 600_000;
const SHOWN_CHARS = 4_000;

/** How wrangler is called: a program and its first arguments. */
export type Wrangler = readonly [string, ...string[]];

export const installedWrangler: Wrangler = [
  process.execPath,
  join(repositoryRoot, 'node_modules/wrangler/bin/wrangler.js'),
];

/**
 * Runs wrangler in the checkout and answers what it wrote. `input` goes to its standard input, where
 * no other process sees it. Throws with its last words when it fails.
 */
export async function runWrangler(
  wrangler: Wrangler,
  args: readonly string[],
  input: string | null = null,
): Promise<string> {
  const [command, ...first] = wrangler;
  const child = spawn(command, [...first, ...args], {
    cwd: repositoryRoot,
    // A sign-in may have to be asked for; what is piped in must not wait for a person.
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
  const words = `${out}\n${problems}`.trim().slice(-SHOWN_CHARS);
  throw new CommandError(`wrangler ${args[0]} failed:\n${words}`, EXIT.failed);
}

/** The service's tokens are none of wrangler's business. */
function withoutServiceSettings(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('SERVICE_')),
  );
}
