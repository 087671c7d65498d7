import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { repositoryRoot } from '../e2e/start-service.ts';
import { ManagedProcess } from './managed-process.ts';

const READY_TIMEOUT_MS = 90_000;
const script = join(repositoryRoot, 'dist/lib/switchyard.js');

/** A control plane without a runner, started again and again on the same port and data. */
export class PlaneProcess {
  readonly #options: { folder: string; env: Readonly<Record<string, string>> };
  #process: ManagedProcess | null = null;
  #port = 0;
  #ready = false;

  constructor(options: { folder: string; env: Readonly<Record<string, string>> }) {
    this.#options = options;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** It serves, as far as is known. */
  get isReady(): boolean {
    return this.#ready && (this.#process?.isAlive ?? false);
  }

  get output(): string {
    return this.#process?.output ?? '';
  }

  /** Throws, with its last words, when it ended and nobody ended it. */
  assertNotCrashed(): void {
    if (this.#process === null || this.#process.isAlive) return;
    throw new Error(`the control plane ended by itself:\n${this.output}`);
  }

  /** Resolves once it serves. */
  async start(): Promise<void> {
    const { folder, env } = this.#options;
    const dataDir = join(folder, 'data');
    await mkdir(dataDir, { recursive: true });
    const serve = ['start', '--no-runner', '--no-open', '--port', String(this.#port)];
    const started = new ManagedProcess({
      script,
      env,
      workingFolder: dataDir,
      logFile: join(folder, 'control-plane.log'),
      args: [...serve, '--data-dir', dataDir],
    });
    this.#process = started;
    const ready = await started.lineLike(/^ready http:\/\/127\.0\.0\.1:(\d+)$/m, READY_TIMEOUT_MS);
    this.#port = Number(ready[1]);
    this.#ready = true;
  }

  /** Resolves when the process is gone. */
  async end(signal: NodeJS.Signals): Promise<void> {
    this.#ready = false;
    const ending = this.#process;
    this.#process = null;
    await ending?.end(signal);
  }
}
