import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type Docker from 'dockerode';
import type { ContainerExit, ContainerOwner, EngineContainer } from '../container-engine.ts';
import { followStdout, readStderrTail } from './follow-stdout.ts';
import {
  DockerError,
  DOCKER_CALL_TIMEOUT_MS,
  dockerCall,
  isConflict,
  isMissing,
} from './daemon/docker-call.ts';
import type { ExitNotice } from './exit-watch.ts';
import { removeContainer } from './daemon/run-command.ts';

/** Longest time that the kernel needs after SIGKILL, unless the daemon hangs. */
const KILL_TIMEOUT_MS = 30_000;
/** A write that the engine does not accept within this time has failed. */
const WRITE_TIMEOUT_MS = 30_000;
/** The log may close shortly before the end is known. */
const LOG_END_WAIT_MS = 1_000;

/** A container of the Docker daemon behind the port. Created by DockerContainerEngine only. */
export class DockerContainer implements EngineContainer {
  readonly containerId: string;
  readonly owner: ContainerOwner;
  readonly exited: Promise<ContainerExit>;
  readonly #container: Docker.Container;
  readonly #notice: ExitNotice;
  #ended = false;
  #input: Promise<Duplex> | null = null;
  #lastWrite: Promise<void> = Promise.resolve();

  constructor(container: Docker.Container, owner: ContainerOwner, notice: ExitNotice) {
    this.#container = container;
    this.#notice = notice;
    this.containerId = container.id;
    this.owner = owner;
    this.exited = notice.exited.then((exit) => {
      this.#ended = true;
      this.#closeInput();
      return exit;
    });
  }

  async *stdout(fromByte: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    let offset = fromByte;
    for (;;) {
      let whole = false;
      try {
        for await (const chunk of followStdout(this.#container, offset, signal)) {
          offset += chunk.byteLength;
          yield chunk;
        }
        whole = true;
      } catch (error) {
        if (signal.aborted) return;
        if (isMissing(error)) throw error;
      }
      if (signal.aborted) return;
      // The stream may also have ended with the daemon, while the container still runs.
      const ended = await Promise.race([this.exited, delay(LOG_END_WAIT_MS, null, { ref: false })]);
      if (ended !== null && whole) return;
    }
  }

  stderrTail(maxBytes: number): Promise<string> {
    return readStderrTail(this.#container, maxBytes);
  }

  write(bytes: Uint8Array): Promise<void> {
    const written = this.#lastWrite.then(() => this.#writeNow(bytes));
    this.#lastWrite = written.catch(() => undefined);
    return written;
  }

  onOom(listener: () => void): void {
    this.#notice.onOom(listener);
  }

  async stop(graceMs: number): Promise<ContainerExit> {
    if (this.#ended) return this.exited;
    this.#notice.stopAsked();
    await this.#signal('SIGTERM');
    const graceful = await Promise.race([this.exited, delay(graceMs, null, { ref: false })]);
    if (graceful !== null) return graceful;
    await this.#signal('SIGKILL');
    const killed = await Promise.race([this.exited, delay(KILL_TIMEOUT_MS, null, { ref: false })]);
    if (killed !== null) return killed;
    throw new DockerError(
      `docker: container ${this.containerId.slice(0, 12)} survives KILL; look at the daemon`,
      null,
      undefined,
    );
  }

  async remove(): Promise<void> {
    this.#closeInput();
    await removeContainer(this.#container);
  }

  /** Closes connections; the container continues to run. */
  detach(): void {
    this.#closeInput();
  }

  async #signal(name: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    try {
      await dockerCall(`send ${name}`, () => this.#container.kill({ signal: name }));
    } catch (error) {
      // The container is removed or no longer running: its end will be reported.
      if (!isMissing(error) && !isConflict(error)) throw error;
    }
  }

  async #writeNow(bytes: Uint8Array): Promise<void> {
    if (this.#ended) throw new Error('the container has ended');
    this.#input ??= this.#attachInput();
    const input = await this.#input.catch((error: unknown) => {
      this.#input = null;
      throw error;
    });
    await writeTo(input, bytes);
  }

  /**
   * A former process may have died inside a line: the newline separates its bytes from new ones.
   */
  async #attachInput(): Promise<Duplex> {
    const stream = await dockerCall(
      'attach standard input',
      (abortSignal) =>
        this.#container.attach({ stream: true, stdin: true, hijack: true, abortSignal }),
      DOCKER_CALL_TIMEOUT_MS,
    );
    const input = stream as unknown as Duplex;
    input.on('error', () => this.#forget(input));
    input.on('close', () => this.#forget(input));
    input.resume();
    await writeTo(input, Buffer.from('\n'));
    return input;
  }

  #forget(input: Duplex): void {
    input.destroy();
    this.#input = null;
  }

  #closeInput(): void {
    void this.#input?.then(
      (input) => input.destroy(),
      () => undefined,
    );
    this.#input = null;
  }
}

/** Resolves when the daemon's socket has accepted the bytes. */
async function writeTo(input: Duplex, bytes: Uint8Array): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error(`standard input was not taken within ${WRITE_TIMEOUT_MS} ms`));
      input.destroy();
    }, WRITE_TIMEOUT_MS);
    input.write(bytes, (error) => {
      clearTimeout(timer);
      if (error) reject(new Error('standard input is closed', { cause: error }));
      else resolve();
    });
  });
}
