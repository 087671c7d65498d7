import type { Duplex } from 'node:stream';
import type Docker from 'dockerode';
import { deferred } from '@switchyard/shared/deferred';
import type { Dialogue } from '../../container-engine.ts';
import { demux } from './demux.ts';
import { DockerError, dockerCall } from './docker-call.ts';
import { removeContainer } from './run-command.ts';

/** Longest answer; a command that sends more at once is faulty. */
const MAX_LINE_BYTES = 4 * 1024;

/**
 * Exchanges lines with a command: one answer for each line. Its input closes when this process
 * ends, so that the command never outlives it for long.
 */
export class DockerDialogue implements Dialogue {
  readonly #container: Docker.Container;
  readonly #stream: Duplex;
  readonly #removed: () => void;
  #waiting: { resolve(line: string): void; reject(error: Error): void } | null = null;
  #ended: Promise<void> | null = null;
  #isOver = false;

  private constructor(container: Docker.Container, stream: Duplex, removed: () => void) {
    this.#container = container;
    this.#stream = stream;
    this.#removed = removed;
    stream.on('error', () => this.#over());
    void this.#listen();
  }

  /**
   * Starts a container that was created for a dialogue. Throws DockerError, with the container
   * removed.
   */
  static async open(container: Docker.Container, removed: () => void): Promise<DockerDialogue> {
    try {
      const options = { stream: true, stdin: true, stdout: true, hijack: true };
      const stream = await dockerCall('attach', () => container.attach(options));
      const dialogue = new DockerDialogue(container, stream as unknown as Duplex, removed);
      await dockerCall('start command', () => container.start());
      return dialogue;
    } catch (error) {
      await removeContainer(container);
      removed();
      throw error;
    }
  }

  async ask(line: string, timeoutMs: number): Promise<string> {
    if (this.#isOver || this.#waiting !== null) throw gone('it does not listen');
    const { promise, resolve, reject } = deferred<string>();
    this.#waiting = { resolve, reject };
    const timer = setTimeout(() => reject(gone(`no answer within ${timeoutMs} ms`)), timeoutMs);
    try {
      this.#stream.write(`${line}\n`);
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting = null;
    }
  }

  end(): Promise<void> {
    this.#ended ??= this.#end();
    return this.#ended;
  }

  async #end(): Promise<void> {
    this.#over();
    this.#stream.destroy();
    try {
      await removeContainer(this.#container);
    } finally {
      this.#removed();
    }
  }

  async #listen(): Promise<void> {
    let text = '';
    try {
      for await (const { stream, bytes } of demux(this.#stream as AsyncIterable<Uint8Array>)) {
        if (stream !== 1) continue;
        text += Buffer.from(bytes).toString('latin1');
        if (text.length > MAX_LINE_BYTES) break;
        const end = text.indexOf('\n');
        if (end === -1) continue;
        this.#waiting?.resolve(text.slice(0, end));
        text = '';
      }
    } catch {
      // The stream ended; pending and later requests are rejected below.
    }
    this.#over();
  }

  #over(): void {
    this.#isOver = true;
    this.#waiting?.reject(gone('it ended'));
  }
}

function gone(why: string): DockerError {
  return new DockerError(`docker: a command that answers questions: ${why}`, null, undefined);
}
