import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { ByteHead } from '../byte-head.ts';
import { ByteTail } from '@switchyard/shared/bytes/byte-tail';
import { OutputFile } from '../output-file.ts';
import type { CommandResult, CommandSpec } from '../container-engine.ts';
import { attemptEnvironment, attemptMarker } from './attempt-environment.ts';
import { awaitTaken, type TakenOutput } from './await-taken.ts';
import { killMarked, sendSignal } from './process-identity.ts';

const STDERR_BYTES = 64 * 1024;
/** How long further output is awaited after a command has ended. */
const OUTPUT_GRACE_MS = 2_000;
const CUT_OFF = 'ERR_STREAM_PREMATURE_CLOSE';

type PipedChild = ChildProcessByStdio<null, Readable, Readable>;

/**
 * Runs one short command as a plain process without protection. At its end, on the time limit, on
 * too much output or on its signal all its processes are killed: as in a container, it ends with
 * its main program, whatever runs in the background. A program that cannot be started has status
 * 127. Rejects when its output cannot be written. `marker`: environment entry of this command alone.
 */
export async function runProcess(spec: CommandSpec, marker: string): Promise<CommandResult> {
  const [program = '', ...args] = spec.argv;
  const child = spawn(program, args, {
    detached: true,
    cwd: spec.workingDirectory,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: attemptEnvironment(spec.env, [attemptMarker(spec.owner), marker]),
  });
  const ending = { timedOut: false, outputExceeded: false };
  const taken = { bytes: 0, maxBytes: spec.maxOutputBytes };
  const kill = (why: keyof typeof ending | 'aborted'): void => {
    if (why !== 'aborted') ending[why] = true;
    if (child.pid !== undefined) sendSignal(-child.pid, 'SIGKILL');
    void killMarked(marker).catch(() => undefined);
  };
  const closed = once(child, 'close');
  const timer = setTimeout(() => kill('timedOut'), spec.timeoutMs);
  let grace: NodeJS.Timeout | undefined;
  child.once('exit', () => {
    clearTimeout(timer);
    grace = setTimeout(() => void cutOff(child, marker, taken), OUTPUT_GRACE_MS);
  });
  const abort = (): void => kill('aborted');
  spec.signal?.addEventListener('abort', abort, { once: true });
  if (spec.signal?.aborted === true) abort();
  const output = collectOutput(child.stdout, spec.stdoutFile, taken, () => kill('outputExceeded'));
  // Nobody reads on, so the command would wait for ever.
  output.catch(() => kill('aborted'));
  const errors = collectTail(child.stderr);
  try {
    const failure = await closed.then(
      () => null,
      (error: unknown) => (error instanceof Error ? error.message : 'cannot be started'),
    );
    if (failure !== null) return { exitCode: 127, stdout: '', stderr: failure, ...ending };
    const exitCode = child.exitCode ?? 128 + 9;
    return { exitCode, stdout: await output, stderr: await errors, ...ending };
  } finally {
    clearTimeout(timer);
    clearTimeout(grace);
    spec.signal?.removeEventListener('abort', abort);
    await killMarked(marker);
  }
}

/**
 * Ends processes that hold the output open; hidden ones lose the pipe to which they could write.
 */
async function cutOff(child: PipedChild, marker: string, taken: TakenOutput): Promise<void> {
  if (child.pid !== undefined) sendSignal(-child.pid, 'SIGKILL');
  await killMarked(marker).catch(() => undefined);
  await awaitTaken(child.stdout, taken);
  child.stdout.destroy();
  child.stderr.destroy();
}

/** The data of a stream until it ends or is cut off. */
async function* piecesOf(stream: Readable): AsyncGenerator<Buffer> {
  try {
    yield* stream as AsyncIterable<Buffer>;
  } catch (error) {
    const isCut = error instanceof Error && 'code' in error && error.code === CUT_OFF;
    if (!isCut) throw error;
  }
}

async function collectOutput(
  output: Readable,
  path: string | undefined,
  taken: TakenOutput,
  exceed: () => void,
): Promise<string> {
  const file = path === undefined ? null : new OutputFile(path);
  const kept = new ByteHead();
  try {
    for await (const chunk of piecesOf(output)) {
      const room = taken.maxBytes - taken.bytes;
      taken.bytes += chunk.length;
      const allowed = chunk.subarray(0, Math.max(room, 0));
      if (file === null) kept.add(allowed);
      else await file.add(allowed);
      if (taken.bytes > taken.maxBytes) exceed();
    }
  } finally {
    await file?.close();
  }
  return kept.text();
}

async function collectTail(stream: Readable): Promise<string> {
  const tail = new ByteTail(STDERR_BYTES);
  for await (const chunk of piecesOf(stream)) tail.add(chunk);
  return tail.text();
}
