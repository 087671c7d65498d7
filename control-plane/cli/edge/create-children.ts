import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { deferred } from '@switchyard/shared/deferred';

/** Time that a process group has to end before it is killed. */
const STOP_TIMEOUT_MS = 4_000;
const POLL_MS = 50;
/** Lines of a program's output that are kept to explain a failure. */
const KEPT_LINES = 40;
/**
 * A guard process that kills the registered groups once its input ends without `done`: nothing
 * outlives a command that was killed itself.
 */
const GUARD = `
  const groups = new Set();
  let text = '';
  process.stdin.on('data', (bytes) => { text += bytes; });
  process.stdin.on('end', () => {
    const words = text.split('\\n');
    if (words.includes('done')) process.exit();
    for (const pid of words.filter((word) => /^[1-9][0-9]*$/.test(word)))
      try { process.kill(-Number(pid), 'SIGKILL'); } catch {}
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
`;

export type Child = {
  /** The last lines of the program's output. */
  lastLines(): string;
  /** Resolves when the program has ended. */
  exited: Promise<void>;
};

export type Children = {
  /**
   * Starts a program in its own process group, which a Ctrl-C in the terminal does not reach.
   * `line` is called with each line of its output.
   */
  start(input: {
    what: string;
    command: readonly [string, ...string[]];
    cwd: string;
    env: NodeJS.ProcessEnv;
    /**
     * Kills the program at once when it should end: it has no state to save, and would wait for its
     * connections.
     */
    endsAtOnce?: boolean;
    line?: (text: string) => void;
  }): Child;
  /** Resolves with the name of a program that ended unexpectedly. */
  ended: Promise<string>;
  /** Ends all programs with all their child processes, the last one first. */
  endAll(): Promise<void>;
};

type Running = { child: ChildProcess; exited: Promise<void>; endsAtOnce: boolean };

/** The programs that this command starts; they end with it, however it ends. */
export function createChildren(): Children {
  const guard = spawn(process.execPath, ['-e', GUARD], { stdio: ['pipe', 'ignore', 'ignore'] });
  guard.stdin.on('error', () => undefined);
  guard.unref();
  const running: Running[] = [];
  const ended = deferred<string>();
  let isStopping = false;
  return {
    ended: ended.promise,
    start({ what, command: [program, ...args], cwd, env, endsAtOnce = false, line }) {
      if (isStopping) throw new Error(`${what} is not started any more`);
      const kept: string[] = [];
      const child = spawn(program, args, {
        cwd,
        env,
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const exited = new Promise<void>((resolve) => {
        child.once('error', (error) => {
          kept.push(error.message);
          resolve();
        });
        child.once('exit', () => resolve());
      });
      void exited.then(() => {
        if (!isStopping) ended.resolve(what);
      });
      if (child.pid !== undefined) guard.stdin.write(`${child.pid}\n`);
      running.push({ child, exited, endsAtOnce });
      for (const stream of [child.stdout, child.stderr]) {
        createInterface({ input: stream }).on('line', (text) => {
          kept.push(text);
          if (kept.length > KEPT_LINES) kept.shift();
          line?.(text);
        });
      }
      return { lastLines: () => kept.join('\n'), exited };
    },
    async endAll() {
      isStopping = true;
      for (const each of running.toReversed()) await endGroup(each);
      guard.stdin.end('\ndone\n');
    },
  };
}

/**
 * A wrapper such as npm may end before its children, so the end of the complete group is awaited.
 */
async function endGroup({ child, exited, endsAtOnce }: Running): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  signalGroup(pid, endsAtOnce ? 'SIGKILL' : 'SIGTERM');
  const endMs = performance.now() + STOP_TIMEOUT_MS;
  while (performance.now() < endMs && signalGroup(pid, 0))
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  signalGroup(pid, 'SIGKILL');
  await exited;
}

/** Signals a process group; false when it has no process left. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}
