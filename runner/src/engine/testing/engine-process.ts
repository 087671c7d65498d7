import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { EngineLaunch, EngineStdio } from '../agent-engine.ts';

const POLL_MS = 5;
const READ_BYTES = 1024 * 1024;

type Exit = Awaited<EngineStdio['exited']>;

/** An engine process whose stdin is a FIFO and whose stdout is a file, so that both outlive us. */
export type EngineProcess = {
  readonly pid: number;
  readonly stdoutPath: string;
  /** Another reader and writer of the same process, as after a restart of the runner. */
  attach(): EngineStdio;
  kill(signal: NodeJS.Signals): void;
  /** Ends the process and waits for it. */
  dispose(): Promise<void>;
};

export function startEngineProcess(
  argv: readonly string[],
  env: Record<string, string>,
  cwd: string,
): EngineProcess {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-stdio-'));
  const fifoPath = join(folder, 'stdin');
  const stdoutPath = join(folder, 'stdout');
  execFileSync('mkfifo', [fifoPath]);
  const stdin = openSync(fifoPath, 'r+');
  const stdout = openSync(stdoutPath, 'a');
  const [program = '', ...rest] = argv;
  const child = spawn(program, rest, { cwd, env, stdio: [stdin, stdout, 'ignore'] });
  closeSync(stdout);
  const exited = exitOf(child);
  let disposed = false;
  return {
    pid: child.pid ?? -1,
    stdoutPath,
    attach: () => stdioOf(fifoPath, stdoutPath, exited),
    kill: (signal) => void child.kill(signal),
    dispose: async () => {
      if (disposed) return;
      disposed = true;
      child.kill('SIGKILL');
      await exited;
      closeSync(stdin);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('error', () => resolve({ exitCode: 127, signal: null, oom: false }));
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal, oom: false }));
  });
}

function stdioOf(fifoPath: string, stdoutPath: string, exited: Promise<Exit>): EngineStdio {
  return {
    exited,
    stdout: (fromByte, signal) => follow(stdoutPath, fromByte, signal, exited),
    write: async (bytes) => {
      const fifo = await open(fifoPath, 'r+');
      try {
        await fifo.write(bytes);
      } finally {
        await fifo.close();
      }
    },
  };
}

async function* follow(
  path: string,
  fromByte: number,
  signal: AbortSignal,
  exited: Promise<Exit>,
): AsyncGenerator<Uint8Array> {
  const file = await open(path, 'r');
  let position = fromByte;
  let ended = false;
  const watching = async (): Promise<void> => {
    await exited;
    ended = true;
  };
  void watching();
  try {
    while (!signal.aborted) {
      const wasEnded = ended;
      const { bytesRead, buffer } = await file.read(
        Buffer.alloc(READ_BYTES),
        0,
        READ_BYTES,
        position,
      );
      position += bytesRead;
      if (bytesRead > 0) yield buffer.subarray(0, bytesRead);
      else if (wasEnded) return;
      else await delay(POLL_MS);
    }
  } finally {
    await file.close();
  }
}

/** Writes what `launch()` returned below `homePath`. */
export function writeHome(homePath: string, launch: EngineLaunch): void {
  for (const [path, text] of Object.entries(launch.files)) {
    const absolute = join(homePath, path);
    mkdirSync(dirname(absolute), { recursive: true });
    writeFileSync(absolute, text);
  }
}
