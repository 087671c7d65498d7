import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { repositoryRoot } from '../e2e/start-service.ts';
import { ManagedProcess } from './managed-process.ts';

const JOIN_TIMEOUT_MS = 60_000;
const SHOWN_CHARS = 2_000;
const script = join(repositoryRoot, 'dist/lib/runner.js');

export type RunnerProcessOptions = {
  name: string;
  folder: string;
  sandbox: 'process' | 'docker';
  slots: number;
  /** What its command line begins with. */
  through?: readonly string[];
};

/** A runner of its own data folder, which survives the process. */
export class RunnerProcess {
  readonly name: string;
  readonly #options: RunnerProcessOptions;
  #process: ManagedProcess | null = null;
  runnerId = '';

  constructor(options: RunnerProcessOptions) {
    this.name = options.name;
    this.#options = options;
  }

  get isUp(): boolean {
    return this.#process?.isAlive ?? false;
  }

  /** Throws, with its last words, when it ended and nobody ended it. */
  assertNotCrashed(): void {
    if (this.#process === null || this.#process.isAlive) return;
    throw new Error(`${this.name} ended by itself:\n${this.#process.output.slice(-SHOWN_CHARS)}`);
  }

  /** Makes this data folder a runner of the control plane at `url`. */
  async join(url: string, token: string): Promise<void> {
    await mkdir(this.dataDir, { recursive: true });
    const joining = this.#launch(['join', url, '--token', token, '--name', this.name]);
    const code = await joining.ended(JOIN_TIMEOUT_MS);
    const id = /^joined \S+ as (\S+)$/m.exec(joining.output)?.[1];
    if (code !== 0 || id === undefined) throw new Error(`${this.name}:\n${joining.output}`);
    this.runnerId = id;
  }

  start(): void {
    const { folder, sandbox, slots } = this.#options;
    const allowed = ['--allow-folder', folder];
    this.#process = this.#launch([
      'run',
      '--sandbox',
      sandbox,
      '--slots',
      String(slots),
      ...allowed,
    ]);
  }

  /** Resolves when the process is gone; what it started may live on. */
  async end(signal: NodeJS.Signals): Promise<void> {
    const ending = this.#process;
    this.#process = null;
    await ending?.end(signal);
  }

  get dataDir(): string {
    return join(this.#options.folder, this.name);
  }

  #launch(args: string[]): ManagedProcess {
    const { through = [] } = this.#options;
    const { SWITCHYARD_ENGINES: engines } = process.env;
    // Which engines this host has is no setting of a test.
    const env: Record<string, string> =
      engines === undefined ? {} : { SWITCHYARD_ENGINES: engines };
    return new ManagedProcess({
      script,
      through,
      env,
      workingFolder: this.dataDir,
      logFile: join(this.#options.folder, `${this.name}.log`),
      args: [...args, '--data-dir', this.dataDir],
    });
  }
}
