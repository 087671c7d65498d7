import { constants } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { deferred } from '@switchyard/shared/deferred';
import type { ContainerExit, ContainerOwner, EngineContainer } from '../container-engine.ts';
import { exitFromStatus } from '../exit-from-status.ts';
import { attemptMarker } from './attempt-environment.ts';
import { followFile, readTail } from './follow-file.ts';
import { type LaunchRecord, removeState } from './launch.ts';
import { isAlive, killMarked, parentOf, sendSignal } from './process-identity.ts';
import { readEnginePid, readExitCode, stateFile } from './state-files.ts';

/** Polling interval for the end: an adopted engine is no child of this process. */
const POLL_MS = 200;
const WRITE_TIMEOUT_MS = 30_000;
const WRITE_RETRY_MS = 5;
const KILL_TIMEOUT_MS = 30_000;
const START_WAIT_MS = 2_000;

/** An engine that runs as a plain process of this host. Created by ProcessContainerEngine only. */
export class ProcessContainer implements EngineContainer {
  readonly containerId: string;
  readonly owner: ContainerOwner;
  readonly exited: Promise<ContainerExit>;
  readonly #record: LaunchRecord;
  readonly #recordFile: string;
  readonly #removed: () => void;
  readonly #settle: (exit: ContainerExit) => void;
  #timer: NodeJS.Timeout | null;
  #ended = false;
  #checking: Promise<void> | null = null;
  #input: FileHandle | null = null;
  #lastWrite: Promise<void> = Promise.resolve();

  constructor(record: LaunchRecord, recordFile: string, removed: () => void) {
    this.#removed = removed;
    this.#record = record;
    this.#recordFile = recordFile;
    this.owner = record.owner;
    this.containerId = `process-${record.owner.attemptId}-${record.owner.epoch}`;
    const { promise, resolve } = deferred<ContainerExit>();
    this.exited = promise;
    this.#settle = resolve;
    this.#timer = setInterval(() => void this.checkEnd(), POLL_MS);
  }

  async *stdout(fromByte: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const path = stateFile(this.#record.stateFolder, 'stdout.log');
    yield* followFile(path, fromByte, () => this.#ended, signal);
  }

  stderrTail(maxBytes: number): Promise<string> {
    return readTail(stateFile(this.#record.stateFolder, 'stderr.log'), maxBytes);
  }

  write(bytes: Uint8Array): Promise<void> {
    const written = this.#lastWrite.then(() => this.#writeNow(bytes));
    this.#lastWrite = written.catch(() => undefined);
    return written;
  }

  /** A no-op: a host has no memory limit for one attempt. */
  onOom(_listener: () => void): void {
    // Never called.
  }

  async stop(graceMs: number): Promise<ContainerExit> {
    if (this.#ended) return this.exited;
    const engine = await this.#enginePid();
    if (engine !== null) sendSignal(engine, 'SIGTERM');
    const graceful = await Promise.race([this.exited, delay(graceMs, null, { ref: false })]);
    if (graceful !== null) return graceful;
    // Not the wrapper, which still has to write the engine's exit status.
    await killMarked(attemptMarker(this.owner), this.#wrapperPids());
    if (engine !== null) sendSignal(engine, 'SIGKILL');
    const killed = await Promise.race([this.exited, delay(KILL_TIMEOUT_MS, null, { ref: false })]);
    if (killed !== null) return killed;
    throw new Error(`attempt ${this.owner.attemptId} survives KILL`);
  }

  async remove(): Promise<void> {
    this.detach();
    await killMarked(attemptMarker(this.owner));
    await removeState(this.#record.stateFolder);
    await rm(this.#recordFile, { force: true });
    this.#removed();
  }

  /** Stops watching; the engine continues to run. */
  detach(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
    void this.#closeInput();
  }

  /** Checks whether the engine has ended, and cleans up afterwards. One check at a time. */
  checkEnd(): Promise<void> {
    this.#checking ??= this.#checkNow().finally(() => (this.#checking = null));
    return this.#checking;
  }

  async #checkNow(): Promise<void> {
    if (this.#ended) return;
    const { wrapper, stateFolder } = this.#record;
    let status = await readExitCode(stateFolder);
    if (status === null) {
      if (wrapper && (await isAlive(wrapper))) return;
      // The process may have written its status between the two checks.
      status = await readExitCode(stateFolder);
    }
    // The engine runs commands in sessions of their own; none may outlive the attempt.
    await killMarked(attemptMarker(this.owner));
    this.#ended = true;
    this.detach();
    this.#settle(exitFromStatus(status));
  }

  /** The engine is the wrapper's child; a reused process number is not. */
  async #enginePid(): Promise<number | null> {
    const { wrapper, stateFolder } = this.#record;
    if (!wrapper) return null;
    for (const end = Date.now() + START_WAIT_MS; Date.now() < end; await delay(WRITE_RETRY_MS)) {
      if (!(await isAlive(wrapper))) return null;
      const pid = await readEnginePid(stateFolder);
      if (pid !== null) return (await parentOf(pid)) === wrapper.pid ? pid : null;
    }
    return null;
  }

  #wrapperPids(): number[] {
    return this.#record.wrapper ? [this.#record.wrapper.pid] : [];
  }

  async #writeNow(bytes: Uint8Array): Promise<void> {
    if (this.#ended) throw new Error('the container has ended');
    if (!this.#input) {
      const flags = constants.O_WRONLY | constants.O_NONBLOCK;
      this.#input = await open(stateFile(this.#record.stateFolder, 'stdin'), flags);
      // A former process may have died inside a line: the newline separates its bytes from new
      // ones.
      await this.#writeAll(this.#input, Buffer.from('\n'));
    }
    await this.#writeAll(this.#input, bytes);
  }

  /** A FIFO accepts as much as fits; the rest waits for the engine to read. */
  async #writeAll(input: FileHandle, bytes: Uint8Array): Promise<void> {
    const end = Date.now() + WRITE_TIMEOUT_MS;
    for (let offset = 0; offset < bytes.byteLength;) {
      if (this.#ended) throw new Error('the container has ended');
      if (Date.now() > end) {
        await this.#closeInput();
        throw new Error(`standard input was not taken within ${WRITE_TIMEOUT_MS} ms`);
      }
      const written = await input.write(bytes, offset).catch((error: unknown) => {
        if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return null;
        throw error;
      });
      if (written) offset += written.bytesWritten;
      else await delay(WRITE_RETRY_MS);
    }
  }

  async #closeInput(): Promise<void> {
    const input = this.#input;
    this.#input = null;
    await input?.close();
  }
}
