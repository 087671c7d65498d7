import type { EngineStdio } from '../agent-engine.ts';
import { type EngineExit, EngineExitedError } from './engine-errors.ts';
import { type JsonLine, readJsonLines } from './json-lines.ts';

/**
 * How long the last output is awaited after the engine's exit, and the exit after its output has
 * ended.
 */
const DRAIN_TIMEOUT_MS = 500;

export type EngineReaderHooks = {
  /** Called with the lines in order; the next one waits until this resolves. */
  line(line: JsonLine): Promise<void>;
  /**
   * Called at once when the engine has exited or cannot be read, before its last lines are read.
   */
  failed(error: Error): void;
  /** Called when nothing more will follow. */
  ended(): void;
};

/**
 * Reads an engine's output from `fromByte` until the engine exits or `reading` is aborted. Never
 * rejects: everything is reported through the hooks.
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

/** Waits briefly for the exit: an engine may close its output a moment before. */
function exitSoon(stdio: EngineStdio): Promise<EngineExit> {
  const unknown: EngineExit = { exitCode: null, signal: null, oom: false };
  const late = new Promise<EngineExit>((resolve) => {
    setTimeout(() => resolve(unknown), DRAIN_TIMEOUT_MS).unref();
  });
  return Promise.race([stdio.exited, late]);
}
