import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { processesOf } from '../e2e/processes-of.ts';
import type { ShellCommand } from './shell-commands.ts';

const COMMAND_TIMEOUT_MS = 120_000;
const READY_TIMEOUT_MS = 120_000;
const EXIT_TIMEOUT_MS = 20_000;
const POLL_MS = 100;

export type PageShellOptions = {
  /** Where commands run; everything that they make is below it. */
  folder: string;
  /** Shell words for the `switchyard` command, for example `switchyard` of an installed package. */
  switchyard: string;
  /** What stands in for words that a reader would replace or that this machine cannot offer. */
  values: ReadonlyMap<string, string>;
  /** Flags by command (`start`, `runner join`) that keep it within this test's folder and port. */
  flags: Readonly<Record<string, readonly string[]>>;
  env: Readonly<Record<string, string>>;
};

/**
 * Runs the commands of a page as a reader would, one after the other in one folder. A command that
 * serves runs on in the background until the page starts it again or the shell is closed.
 */
export class PageShell {
  readonly #options: PageShellOptions;
  readonly #serving = new Map<string, ChildProcess>();

  constructor(options: PageShellOptions) {
    this.#options = options;
  }

  /** Answers the standard output, for one that serves up to its ready line. Throws when it fails. */
  async run({ place, text }: ShellCommand): Promise<string> {
    const line = this.#mapped(text);
    const name =
      /^(?:\w+=\S* |\\\n)*(?:npm (?:run )?|switchyard )(start|runner)\b(?!(?: --)? join)/.exec(
        text.replaceAll('\\\n', ''),
      )?.[1];
    const former = name === undefined ? undefined : this.#serving.get(name);
    if (former !== undefined) await end(former);
    const child = spawn('bash', ['-euc', name === undefined ? line : `exec env ${line}`], {
      cwd: this.#options.folder,
      env: { ...process.env, ...this.#options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    if (name !== undefined) this.#serving.set(name, child);
    let output = '';
    let errors = '';
    child.stdout.on('data', (bytes: Buffer) => void (output += bytes.toString()));
    child.stderr.on('data', (bytes: Buffer) => void (errors += bytes.toString()));
    const told = () => `${place}: ${text}\n(ran as: ${line})\n${output}\n${errors}`;
    if (name === undefined) await succeeded(child, told);
    else await ready(child, () => /^(?:runner )?ready /m.test(output), told);
    return output;
  }

  /** Ends what serves, the runner before the service, and whatever is left of them. */
  async close(): Promise<void> {
    for (const child of [...this.#serving.values()].toReversed()) await end(child);
    for (const { pid } of await processesOf(this.#options.folder)) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch (error) {
        // It ended by itself in between.
        if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
      }
    }
  }

  #mapped(text: string): string {
    const { switchyard, values, flags } = this.#options;
    const command =
      /\b(?:npm start|npm run ([\w:-]+)|switchyard ([\w-]+))((?: --)?(?= |$))( join\b)?/g;
    const mapped = text.replaceAll(command, (_whole, ...found: (string | undefined)[]) => {
      const [script, own, , join] = found;
      const name = `${script ?? own ?? 'start'}${join ?? ''}`;
      return [switchyard, name, ...(flags[name] ?? [])].join(' ');
    });
    return [...values].reduce((line, [word, value]) => line.replaceAll(word, value), mapped);
  }
}

async function succeeded(child: ChildProcess, told: () => string): Promise<void> {
  const timer = setTimeout(() => child.kill('SIGKILL'), COMMAND_TIMEOUT_MS);
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(timer);
  if (code !== 0) throw new Error(`ended with ${code}: ${told()}`);
}

async function ready(
  child: ChildProcess,
  isReady: () => boolean,
  told: () => string,
): Promise<void> {
  const endMs = performance.now() + READY_TIMEOUT_MS;
  while (!isReady()) {
    if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${told()}`);
    if (performance.now() > endMs) throw new Error(`is not ready: ${told()}`);
    await wait(POLL_MS);
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), EXIT_TIMEOUT_MS);
  await ended;
  clearTimeout(timer);
}
