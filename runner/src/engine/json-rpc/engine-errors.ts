import type { EngineStdio } from '../agent-engine.ts';

export type EngineExit = Awaited<EngineStdio['exited']>;

/** The engine's process has exited; every open and later call fails with this. */
export class EngineExitedError extends Error {
  override readonly name = 'EngineExitedError';
  readonly exit: EngineExit;

  constructor(exit: EngineExit) {
    super(`the engine ended ${describeExit(exit)}`);
    this.exit = exit;
  }
}

/** The engine answered a call with an error. */
export class EngineRequestError extends Error {
  override readonly name = 'EngineRequestError';
  readonly method: string;
  readonly code: number;
  /** The engine's error message. */
  readonly reason: string;
  /** Further data of the engine's error, in its own form. */
  readonly data: unknown;

  constructor(method: string, error: { code: number; message: string; data?: unknown }) {
    super(`${method}: ${error.message} (${error.code})`);
    this.method = method;
    this.code = error.code;
    this.reason = error.message;
    this.data = error.data;
  }
}

/** The engine did not answer in time; it may still perform the call. */
export class EngineTimeoutError extends Error {
  override readonly name = 'EngineTimeoutError';

  constructor(method: string, timeoutMs: number) {
    super(`${method}: the engine did not answer within ${timeoutMs} ms`);
  }
}

export class SessionClosedError extends Error {
  override readonly name = 'SessionClosedError';

  constructor() {
    super('the session with the engine is closed');
  }
}

function describeExit({ exitCode, signal, oom }: EngineExit): string {
  if (oom) return 'because it ran out of memory';
  if (signal !== null) return `by signal ${signal}`;
  if (exitCode !== null) return `with exit code ${exitCode}`;
  return 'for an unknown reason';
}
