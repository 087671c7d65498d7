import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { findMarked, killMarked, parentOf, sendSignal } from './process-identity.ts';
import { EXIT_EXPIRED, readEnginePid, readExitCode, stateFile } from './state-files.ts';

/**
 * `node dead-man.ts STATE_FOLDER DEADLINE_FILE`: started beside an engine by its waiting shell, so
 * that the engine ends with its lease even if no runner is left. Independent of the runner; carries
 * the attempt's marker itself and so ends with the attempt.
 */
const POLL_MS = 250;
/** Time in which the engine may end its own commands. */
const TERM_GRACE_MS = 2_000;
/** Share of a short lease: everything must have ended before the control plane moves the work. */
const TERM_GRACE_SHARE = 0.15;
const WRAPPER_WAIT_MS = 1_000;
/** One day, as in the container's shim: a damaged file must not extend the deadline for ever. */
const MAX_REMAINING_MS = 24 * 60 * 60_000;
const MARKER_NAME = 'SWITCHYARD_ATTEMPT';

/** A lease is renewed more often than this; an older file means that the wall clock was set. */
const MAX_AGE_SHARE = 0.25;

type Deadline = { counter: string; remainingMs: number; ageMs: number };

/** Reads the deadline; null for a missing or incomplete file. */
function readDeadline(path: string): Deadline | null {
  try {
    const [, counter = '', remaining = ''] =
      /^(\d+) (-?\d+)\n/.exec(readFileSync(path, 'latin1')) ?? [];
    if (counter === '') return null;
    const remainingMs = Math.min(Math.max(0, Number(remaining)), MAX_REMAINING_MS);
    const ageMs = Math.max(0, Date.now() - statSync(path).mtimeMs);
    return { counter, remainingMs, ageMs };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Milliseconds that include the host's sleep, where the host reports that. */
function clockMs(): number {
  if (process.platform !== 'linux') return performance.now();
  return Number.parseFloat(readFileSync('/proc/uptime', 'latin1')) * 1_000;
}

/**
 * Waits for the deadline, which restarts with each change of the counter. Null: the engine ended
 * first.
 */
async function untilExpired(
  deadlineFile: string,
  hasEnded: () => Promise<boolean>,
): Promise<{ graceMs: number } | null> {
  let last: Deadline | null = null;
  let dueMs = Number.POSITIVE_INFINITY;
  for (;;) {
    const seen = readDeadline(deadlineFile);
    if (seen !== null && seen.counter !== last?.counter) {
      // Later changes are seen at once; the first may be as old as the last renewal.
      const ageMs = last === null ? Math.min(seen.ageMs, seen.remainingMs * MAX_AGE_SHARE) : 0;
      last = seen;
      dueMs = clockMs() + seen.remainingMs - ageMs;
    }
    if (clockMs() >= dueMs) {
      const share = (last?.remainingMs ?? 0) * TERM_GRACE_SHARE;
      return { graceMs: Math.min(TERM_GRACE_MS, share) };
    }
    if (await hasEnded()) return null;
    await delay(Math.min(POLL_MS, Math.max(1, dueMs - clockMs())));
  }
}

async function end(stateFolder: string, wrapper: number, graceMs: number): Promise<void> {
  process.stderr.write('switchyard: the lease was not renewed in time, stopping\n');
  writeFileSync(stateFile(stateFolder, 'expired'), `${Date.now()}\n`, { mode: 0o600 });
  const engine = await readEnginePid(stateFolder);
  const isEngine = engine !== null && (await parentOf(engine)) === wrapper;
  if (isEngine) sendSignal(engine, 'SIGTERM');
  const hasExit = async () => (await readExitCode(stateFolder)) !== null;
  await waitUntil(hasExit, graceMs);
  await killMarked(marker(), [wrapper]);
  await waitUntil(hasExit, WRAPPER_WAIT_MS);
  if (await hasExit()) return;
  writeFileSync(stateFile(stateFolder, 'exit'), `${EXIT_EXPIRED}\n`, { mode: 0o600 });
  await killMarked(marker());
}

async function waitUntil(done: () => Promise<boolean>, limitMs: number): Promise<void> {
  const endMs = clockMs() + limitMs;
  while (clockMs() < endMs && !(await done())) await delay(20);
}

function marker(): string {
  return `${MARKER_NAME}=${process.env[MARKER_NAME] ?? ''}`;
}

async function main(stateFolder: string, deadlineFile: string): Promise<void> {
  // Ignores signals to the engine's process group, which are not meant for the dead-man's switch.
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, () => undefined);
  const wrapper = process.ppid;
  const hasEnded = async (): Promise<boolean> => {
    if (existsSync(stateFile(stateFolder, 'exit')) || !existsSync(stateFolder)) return true;
    return process.ppid !== wrapper && (await findMarked(marker())).length === 0;
  };
  const expired = await untilExpired(deadlineFile, hasEnded);
  if (expired !== null) await end(stateFolder, wrapper, expired.graceMs);
}

const [stateFolder, deadlineFile] = process.argv.slice(2);
if (stateFolder === undefined || deadlineFile === undefined) process.exitCode = 2;
else await main(stateFolder, deadlineFile);
