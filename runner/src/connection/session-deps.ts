import type { RunnerMessageOf } from '@switchyard/shared/protocol/messages';
import type { AttemptPort } from './attempt-port.ts';
import type { CallTable } from './calls.ts';
import type { Clock } from './clock.ts';
import type { Lease } from './lease.ts';
import type { Log } from '../log.ts';
import type { Spool } from './journal/spool.ts';

/**
 * The fields of `hello` that rarely change; after a change, `introduceAnew` sends the whole `hello`
 * again.
 */
export type Introduction = Omit<RunnerMessageOf<'hello'>, 'type' | 'slots' | 'held' | 'draining'>;

/** Dependencies of a session. */
export type SessionDeps = {
  introduction(): Introduction;
  attempts: AttemptPort;
  spool: Spool;
  calls: CallTable;
  lease: Lease;
  clock: Clock;
  random: () => number;
  log: Log;
  /** The socket: notified of a healthy session, and asked to reconnect. */
  healthy(pingMs: number): void;
  reconnect(reason: string, options?: { patient: boolean }): void;
  /** Called for the first welcome of each socket, after its verdicts were applied. */
  welcomed(session: number): void;
  renewed(remainingMs: number): void;
  /** Whether a lease is needed although no attempt is held; left out: never. */
  wantsLease?(): boolean;
  revoked(): void;
};
