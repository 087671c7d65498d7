import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { BootstrapError } from './bootstrap-error.mjs';
import { say, saysJson, saysNothing } from './say.mjs';

/**
 * A Ctrl-C arrives from the terminal, from npm and from the shell at once; repeats within this time
 * count once.
 */
const repeatWindowMs = 1_000;
/** How long the output of an ended step is still read, milliseconds. */
const LAST_WORDS_MS = 500;
/** Last lines of a step's output that are kept for the message when it fails. */
const MAX_LAST_LINES = 20;
const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** The user ended the set-up; `exitCode` is 128 + the signal's number. */
export class InterruptedError extends Error {
  constructor(signal) {
    super(`interrupted by ${signal}`);
    this.name = 'InterruptedError';
    this.exitCode = exitCodeOf(null, signal);
  }
}

/**
 * Handles SIGINT, SIGTERM and SIGHUP: each is passed to the current child, repeats within a second
 * once. `checkpoint` throws InterruptedError when one arrived while no target was running.
 */
export function watchSignals() {
  const state = { child: null, received: null, lastAtMs: new Map() };
  for (const signal of forwarded) {
    process.on(signal, () => {
      const nowMs = performance.now();
      const lastAtMs = state.lastAtMs.get(signal) ?? -Infinity;
      if (nowMs - lastAtMs < repeatWindowMs) return;
      state.lastAtMs.set(signal, nowMs);
      state.received = signal;
      state.child?.kill(signal);
    });
  }
  return {
    attach(child) {
      state.child = child;
    },
    checkpoint() {
      if (state.received) throw new InterruptedError(state.received);
    },
  };
}

/**
 * Runs one set-up step to its end with its output on standard error.
 *
 * @param {{ attach(child: object): void, checkpoint(): void }} signals
 * @param {{ what: string, command: string, args: string[], cwd: string, env: object,
 *   timeoutMs: number }} step
 * @throws {BootstrapError} when it fails or takes longer than `timeoutMs`
 */
export async function runStep(signals, step) {
  signals.checkpoint();
  const child = spawn(step.command, step.args, {
    cwd: step.cwd,
    env: step.env,
    stdio:
      saysJson() || saysNothing()
        ? ['ignore', 'pipe', 'pipe']
        : ['ignore', process.stderr, process.stderr],
    timeout: step.timeoutMs,
    killSignal: 'SIGKILL',
  });
  signals.attach(child);
  const lastLines = [];
  const relayed = Promise.all(
    [child.stdout, child.stderr].map((stream) => relay(stream, lastLines)),
  );
  const end = await ended(child);
  // Processes that the step leaves behind may keep its output open, so the wait is limited.
  await Promise.race([relayed, delay(LAST_WORDS_MS, undefined, { ref: false })]);
  signals.attach(null);
  signals.checkpoint();
  if (end.code === 0) return;
  const how = end.code === null ? `ended by ${end.signal}` : `exit code ${end.code}`;
  const where = saysNothing() ? lastLines.join('\n') : 'its messages stand above';
  throw new BootstrapError(`${step.what} failed (${how}); ${where}`);
}

/** Logs the output lines of a tool; does nothing where the tool writes to standard error itself. */
async function relay(stream, lastLines) {
  if (stream === null) return;
  for await (const line of createInterface({ input: stream })) {
    const text = stripVTControlCharacters(line).trim();
    if (text === '') continue;
    say(text);
    if (lastLines.push(text) > MAX_LAST_LINES) lastLines.shift();
  }
}

/**
 * Runs the target in the caller's folder and terminal.
 *
 * @returns {Promise<number>} the target's exit code; 128 + number when a signal ended it
 */
export async function runTarget(toolchain, target, signals) {
  signals.checkpoint();
  const child = spawn(toolchain.node, target.args, {
    cwd: target.cwd,
    env: toolchain.env({ ...target.env, ...process.env }),
    stdio: 'inherit',
  });
  signals.attach(child);
  const { code, signal } = await ended(child);
  return exitCodeOf(code, signal);
}

function ended(child) {
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new BootstrapError(`cannot start: ${error.message}`)));
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
}

function exitCodeOf(code, signal) {
  return code ?? 128 + (constants.signals[signal] ?? 0);
}
