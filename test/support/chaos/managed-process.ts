import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, type WriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { until } from '../e2e/until.ts';

const EXIT_TIMEOUT_MS = 20_000;
const KEPT_OUTPUT_CHARS = 20_000;

export type ManagedProcessOptions = {
  /** Path of a TypeScript file. */
  script: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  workingFolder: string;
  /** Everything it writes is appended here. */
  logFile: string;
  /** What the command line begins with, for example to run on another network. */
  through?: readonly string[];
};

/** A Node process of ours that can be waited for and killed. */
export class ManagedProcess {
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;
  readonly #log: WriteStream;
  #output = '';

  constructor(options: ManagedProcessOptions) {
    this.#log = createWriteStream(options.logFile, { flags: 'a' });
    const node = ['--disable-warning=ExperimentalWarning', options.script, ...options.args];
    const [command = '', ...args] = [...(options.through ?? []), process.execPath, ...node];
    this.#child = spawn(command, args, {
      cwd: options.workingFolder,
      env: { ...ownEnvironment(), ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const { stdout, stderr } = this.#child;
    for (const stream of [stdout, stderr]) stream?.on('data', (bytes: Buffer) => this.#keep(bytes));
    this.#exited = new Promise((resolve) => this.#child.once('close', () => resolve()));
    void this.#exited.then(() => this.#log.end());
  }

  /** The end of what it wrote so far. */
  get output(): string {
    return this.#output;
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Waits for a line that fits; throws with the output when it ends or takes too long. */
  async lineLike(pattern: RegExp, timeoutMs: number): Promise<RegExpExecArray> {
    const look = () => pattern.exec(this.#output);
    const done = (found: RegExpExecArray | null) => found !== null || !this.isAlive;
    const what = `a line like ${String(pattern)}`;
    const found = await until(look, done, { what, timeoutMs }).catch((error: unknown) => {
      throw new Error(`${what} did not come:\n${this.#output}`, { cause: error });
    });
    if (found === null) throw new Error(`ended before ${what} came:\n${this.#output}`);
    return found;
  }

  /** Waits for its end and answers its exit code; null after a signal. */
  async ended(timeoutMs = EXIT_TIMEOUT_MS): Promise<number | null> {
    const what = 'the end of a process';
    await until(
      () => this.isAlive,
      (alive) => !alive,
      { what, timeoutMs },
    );
    await this.#exited;
    await finished(this.#log);
    return this.#child.exitCode;
  }

  /** Signals it and waits until it is gone. Nothing happens when it is gone already. */
  async end(signal: NodeJS.Signals): Promise<void> {
    if (this.isAlive) this.#child.kill(signal);
    await this.ended();
  }

  #keep(bytes: Buffer): void {
    this.#log.write(bytes);
    this.#output = (this.#output + bytes.toString()).slice(-KEPT_OUTPUT_CHARS);
  }
}

/** What this process has, without its own settings and those of a test runner. */
function ownEnvironment(): Record<string, string> {
  const entries = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined || /^(SERVICE_|SWITCHYARD_|VITEST|NODE_OPTIONS$)/.test(name)
      ? []
      : [[name, value] as const],
  );
  return Object.fromEntries(entries);
}
