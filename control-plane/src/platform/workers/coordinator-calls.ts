import type { CallMethod } from '@switchyard/shared/protocol/calls';
import type { ControlPlaneMessage } from '@switchyard/shared/protocol/messages';
import type { BatchOutcome, WriteBatch } from '../../db/server/group-writer.ts';
import type { WriteState } from '../../db/server/server-writer.ts';
import type { ErrorCode } from '../../errors.ts';

/** What other parts of the Worker may ask the object that decides. */
export interface CoordinatorCalls extends Rpc.DurableObjectBranded {
  /** Asks for a run now. `publicOrigin` is where people reach the service, for links. */
  wake(publicOrigin: string | null): Promise<void>;
  /** Sets the alarm again if it got lost. */
  ensureAlarm(): Promise<void>;
}

/** What other parts of the Worker may tell the object that streams events. */
export interface EventsHubCalls extends Rpc.DurableObjectBranded {
  /** There may be new rows. */
  notify(): void;
}

/** What other parts of the Worker may ask the object that writes for all of them. */
export interface DatabaseWriterCalls extends Rpc.DurableObjectBranded {
  /** Stores batches, each alone; answers after the commit. */
  write(batches: readonly WriteBatch[]): Promise<BatchOutcome[]>;
  /** Whether writes are stored; writes one itself when the last was long ago. */
  probe(): Promise<WriteState>;
}

/** What other parts of the Worker may ask an object that has sockets of runners. */
export interface RunnerPoolCalls extends Rpc.DurableObjectBranded {
  /** Sends and closes, in order. */
  deliver(orders: PoolOrder[]): Promise<void>;
  /** Those of `runnerIds` that are connected to this pool. */
  whichConnected(runnerIds: string[]): Promise<{ runnerId: string; lastSeenAtMs: number }[]>;
  /** Asks a runner and waits for its answer. */
  call(asked: PoolCall): Promise<PoolCallAnswer>;
}

/** Something for a runner of a pool. */
export type PoolOrder = { runnerId: string } & (
  | { messages: ControlPlaneMessage[]; close?: undefined }
  | { close: { code: number; reason: string }; messages?: undefined }
);

export type PoolCall = { runnerId: string; method: CallMethod; params: unknown; timeoutMs: number };
/** Errors lose their class between objects. */
export type PoolCallAnswer =
  | { ok: true; json: string }
  | { ok: false; code: ErrorCode; message: string; reason: string | undefined };
