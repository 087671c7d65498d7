import type { EngineStdio } from '../agent-engine.ts';
import { type EngineExit, EngineExitedError } from './engine-errors.ts';
import { type JsonLine, readJsonLines } from './json-lines.ts';

/** After the engine's end, how long its last output is waited for, and the other way round. */
const DRAIN_TIMEOUT_MS = 500;

export type EngineReaderHooks = {
  /** Lines in order; the next one waits until this resolves. */
  line(line: JsonLine): Promise<void>;
  /** The engine is gone or unreadable: called at once, before its last lines are read. */
  failed(error: Error): void;
  /** Nothing more will come. */
  ended(): void;
};

/**
 * Reads an engine's output from `fromByte` on until the engine ends or `reading` is aborted. Never
 * rejects: everything is told through the hooks.
 */
export async function readEngine(
  stdio: EngineStdio,
  fromByte: number,
  reading: AbortController,
  hooks: EngineReaderHooks,
): Promise<void> {
  void failOnExit(stdio, reading, hooks);
  try {
    const stdout = stdio.stdout(fromByte, reading.signal);
    for await (const line of readJsonLines(stdout, fromByte)) {
      if (reading.signal.aborted) return;
      await hooks.line(line);
    }
    hooks.failed(new EngineExitedError(await exitSoon(stdio)));
  } catch (error) {
    if (reading.signal.aborted) return;
    const message = `the engine's output cannot be read: ${String(error)}`;
    hooks.failed(new Error(message, { cause: error }));
  } finally {
    hooks.ended();
  }
}

async function failOnExit(
  stdio: EngineStdio,
  reading: AbortController,
  hooks: EngineReaderHooks,
): Promise<void> {
  hooks.failed(new EngineExitedError(await stdio.exited));
  const timer = setTimeout(() => {
    reading.abort();
    hooks.ended();
  }, DRAIN_TIMEOUT_MS);
  timer.unref();
}

/** An engine may close its output a moment before it is seen to have ended. */
function exitSoon(stdio: EngineStdio): Promise<EngineExit> {
  const unknown: EngineExit = { exitCode: null, signal: null, oom: false };
  const late = new Promise<EngineExit>((resolve) => {
    setTimeout(() => resolve(unknown), DRAIN_TIMEOUT_MS).unref();
  });
  return Promise.race([stdio.exited, late]);
}
