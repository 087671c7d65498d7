/**
 * What the control plane needs from the world. The core depends on these and on web standards
 * only; `platform/` provides them, tests provide fakes with a clock of their own.
 */
import type { ControlPlaneMessage, RunnerMessageOf } from '@switchyard/shared/protocol/messages';
import type { CallMethod, CallParams, CallValue } from '@switchyard/shared/protocol/calls';
import type { IdKind } from '@switchyard/shared/ids';

export interface Clock {
  /** Epoch milliseconds. */
  nowMs(): number;
}

export interface Ids {
  /** A new unique, time-ordered id such as `att_01k…`. */
  next(kind: IdKind): string;
  /** Unguessable token text of at least 256 bits. */
  secret(): string;
}

/** Asks the runtime to call the coordinator at a time. One alarm; setting it again moves it. */
export interface Alarm {
  set(atMs: number): void;
}

/** Sends to a runner's live socket, if it is connected here. Losing a message is harmless. */
export interface RunnerSockets {
  /** False when the runner has no socket here. */
  send(runnerId: string, messages: ControlPlaneMessage[]): boolean;
  /** Ends the runner's socket with a close code. */
  close(runnerId: string, code: number, reason: string): void;
  connected(runnerId: string): boolean;
}

/** Requests to connected runners that end with the session and run at most once. */
export interface RunnerCalls {
  /** Throws an `AppError`: 503 when the runner is not here, 502 when it fails or is late. */
  call<M extends CallMethod>(
    runnerId: string,
    method: M,
    params: CallParams<M>,
    timeoutMs: number,
  ): Promise<CallValue<M>>;
  settle(runnerId: string, message: RunnerMessageOf<'result'>): void;
}

/** Large payloads by key. Values are immutable; putting a key again with other bytes is an error. */
export interface Blobs {
  put(key: string, bytes: Uint8Array): Promise<void>;
  get(key: string): Promise<Uint8Array | null>;
  delete(key: string): Promise<void>;
}

/** Work that goes on after a response; awaited on shutdown (Node) or by waitUntil (Workers). */
export interface BackgroundTasks {
  run(name: string, task: () => Promise<void>): void;
}

export type LogFields = Record<string, string | number | boolean | null | undefined>;

export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** Tells listeners on this process that new events are stored; the rows are the truth. */
export interface EventSignal {
  notify(lastSeq: number): void;
  /** Returns the unsubscribe function. */
  subscribe(listener: (lastSeq: number) => void): () => void;
}
