import type { CallMethod } from '@switchyard/shared/protocol/calls';
import type { ControlPlaneMessage } from '@switchyard/shared/protocol/messages';
import type { BatchOutcome, WriteBatch } from '../../db/server/group-writer.ts';
import type { WriteState } from '../../db/server/server-writer.ts';
import type { ErrorCode } from '../../errors.ts';

/** Calls of other parts of the Worker to the coordinator's object. */
export interface CoordinatorCalls extends Rpc.DurableObjectBranded {
  /** Requests a run now. `publicOrigin` is this service's public origin, for links. */
  wake(publicOrigin: string | null): Promise<void>;
  /** Sets the alarm again if it was lost. */
  ensureAlarm(): Promise<void>;
}

/** Calls of other parts of the Worker to the object that streams events. */
export interface EventsHubCalls extends Rpc.DurableObjectBranded {
  /** Signals that there may be new rows. */
  notify(): void;
}

/** Calls of other parts of the Worker to the object that writes for all of them. */
export interface DatabaseWriterCalls extends Rpc.DurableObjectBranded {
  /** Stores batches independently; resolves after the commit. */
  write(batches: readonly WriteBatch[]): Promise<BatchOutcome[]>;
  /** Whether writes are stored; makes a write itself if the last one was long ago. */
  probe(): Promise<WriteState>;
}

/** Calls of other parts of the Worker to an object with runners' sockets. */
export interface RunnerPoolCalls extends Rpc.DurableObjectBranded {
  /** Sends messages and closes sockets, in order. */
  deliver(orders: PoolOrder[]): Promise<void>;
  /** The runners among `runnerIds` that are connected to this pool. */
  whichConnected(runnerIds: string[]): Promise<{ runnerId: string; lastSeenAtMs: number }[]>;
  /** Calls a runner and waits for its answer. */
  call(asked: PoolCall): Promise<PoolCallAnswer>;
}

/** A message or close order for a runner of a pool. */
export type PoolOrder = { runnerId: string } & (
  | { messages: ControlPlaneMessage[]; close?: undefined }
  | { close: { code: number; reason: string }; messages?: undefined }
);

export type PoolCall = { runnerId: string; method: CallMethod; params: unknown; timeoutMs: number };
/** The result as data, because errors lose their class between objects. */
export type PoolCallAnswer =
  | { ok: true; json: string }
  | { ok: false; code: ErrorCode; message: string; reason: string | undefined };
