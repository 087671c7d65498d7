import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ByteTail } from '@switchyard/shared/bytes/byte-tail';
import { type ProcessLimits, limitedCommand } from './limited-command.ts';

/** Standard input of a host process: text, or a file from a byte offset on. */
export type ProcessInput = string | { file: string; fromByte: number };

export type HostProcess = {
  file: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd?: string;
  input?: ProcessInput;
  /** Text on file descriptor 3, which only the program and its children can read. */
  descriptor3?: string;
  /** An open folder that the program and its children get as file descriptor 4. */
  descriptor4?: number;
  timeoutMs: number;
  /** Limit on standard output, beyond which the process group is killed. */
  maxOutputBytes: number;
  /** Limits enforced by the kernel. Default: none. */
  limits?: ProcessLimits;
  signal?: AbortSignal;
  /** Called with each chunk of standard error. */
  onStderr?: (chunk: Buffer) => void;
};

export type HostProcessResult = {
  /** Exit code; null when a signal ended the process. */
  exitCode: number | null;
  /** The signal that ended it; null: none. */
  signal: NodeJS.Signals | null;
  /** At most maxOutputBytes of standard output. */
  stdout: Buffer;
  /** The last 64 KiB of standard error. */
  stderr: string;
  timedOut: boolean;
  outputExceeded: boolean;
  aborted: boolean;
};

const STDERR_TAIL_BYTES = 64 * 1024;
const PIPE_GRACE_MS = 2_000;

/**
 * Runs a host program without a shell, as leader of its own process group, which is killed as a
 * whole on timeout, abort or too much output. Rejects only when the program cannot be started.
 */
export async function runProcess(command: HostProcess): Promise<HostProcessResult> {
  const { file, args, limits } = command;
  const program = limits === undefined ? { file, args } : limitedCommand(file, args, limits);
  const child = spawn(program.file, [...program.args], {
    cwd: command.cwd,
    env: { ...command.env },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', ...furtherDescriptors(command)],
  }) as ChildProcessWithoutNullStreams;
  const end = { timedOut: false, outputExceeded: false, aborted: false };
  const stop = (why: keyof typeof end): void => {
    end[why] = true;
    killGroup(child);
  };
  const timer = setTimeout(() => stop('timedOut'), command.timeoutMs);
  const onAbort = (): void => stop('aborted');
  command.signal?.addEventListener('abort', onAbort, { once: true });
  if (command.signal?.aborted === true) onAbort();
  try {
    const stdout = collectHead(child, command.maxOutputBytes, () => stop('outputExceeded'));
    const stderr = collectTail(child, command.onStderr);
    const ended = waitForEnd(child);
    feed(child, command.input);
    handOver(child, command.descriptor3);
    const { exitCode, signal } = await ended;
    return { exitCode, signal, stdout: stdout(), stderr: stderr(), ...end };
  } finally {
    clearTimeout(timer);
    command.signal?.removeEventListener('abort', onAbort);
  }
}

function furtherDescriptors({
  descriptor3,
  descriptor4,
}: HostProcess): ('pipe' | 'ignore' | number)[] {
  if (descriptor4 !== undefined)
    return [descriptor3 === undefined ? 'ignore' : 'pipe', descriptor4];
  return descriptor3 === undefined ? [] : ['pipe'];
}

function killGroup(child: ChildProcessWithoutNullStreams): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    // The group may have just ended by itself; any other error is real.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function collectHead(
  child: ChildProcessWithoutNullStreams,
  maxBytes: number,
  exceeded: () => void,
): () => Buffer {
  const chunks: Buffer[] = [];
  let bytes = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    if (bytes >= maxBytes) {
      if (chunk.length > 0) exceeded();
      return;
    }
    chunks.push(chunk.subarray(0, maxBytes - bytes));
    bytes += chunk.length;
    if (bytes > maxBytes) exceeded();
  });
  return () => Buffer.concat(chunks);
}

function collectTail(
  child: ChildProcessWithoutNullStreams,
  onStderr: HostProcess['onStderr'],
): () => string {
  const tail = new ByteTail(STDERR_TAIL_BYTES);
  child.stderr.on('data', (chunk: Buffer) => {
    tail.add(chunk);
    onStderr?.(chunk);
  });
  return () => tail.text();
}

/**
 * A descendant that left the group could hold the pipes open for ever, so they are closed after a
 * while.
 */
function waitForEnd(
  child: ChildProcessWithoutNullStreams,
): Promise<Pick<HostProcessResult, 'exitCode' | 'signal'>> {
  return new Promise((resolve, reject) => {
    let cut: NodeJS.Timeout | undefined;
    child.once('error', reject);
    child.once('exit', () => {
      cut = setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
      }, PIPE_GRACE_MS);
    });
    child.once('close', (exitCode, signal) => {
      clearTimeout(cut);
      resolve({ exitCode, signal });
    });
  });
}

function feed(child: ChildProcessWithoutNullStreams, input: ProcessInput | undefined): void {
  const source =
    input === undefined
      ? Readable.from([])
      : typeof input === 'string'
        ? Readable.from([input])
        : createReadStream(input.file, { start: input.fromByte });
  // A program that ends before it has read everything shows that in its exit code; but an
  // unreadable file must not look like an empty input.
  pipeline(source, child.stdin).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_PREMATURE_CLOSE') killGroup(child);
  });
}

/** Most programs never read descriptor 3, so an early close is no error. */
function handOver(child: ChildProcessWithoutNullStreams, text: string | undefined): void {
  const pipe = child.stdio[3];
  if (text === undefined || !(pipe instanceof Writable)) return;
  pipe.on('error', () => pipe.destroy());
  child.once('exit', () => pipe.destroy());
  pipe.end(text);
}
