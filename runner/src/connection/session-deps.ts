import type { RunnerMessageOf } from '@switchyard/shared/protocol/messages';
import type { AttemptPort } from './attempt-port.ts';
import type { CallTable } from './calls.ts';
import type { Clock } from './clock.ts';
import type { Lease } from './lease.ts';
import type { Log } from '../log.ts';
import type { Spool } from './journal/spool.ts';

/** The parts of `hello` that stay the same for long; what changes is told by `introduceAnew`. */
export type Introduction = Omit<RunnerMessageOf<'hello'>, 'type' | 'slots' | 'held' | 'draining'>;

/** What a session speaks for, and whom it tells. */
export type SessionDeps = {
  introduction(): Introduction;
  attempts: AttemptPort;
  spool: Spool;
  calls: CallTable;
  lease: Lease;
  clock: Clock;
  random: () => number;
  log: Log;
  /** The socket below: told when all is well, and asked for a new one. */
  healthy(pingMs: number): void;
  reconnect(reason: string, options?: { patient: boolean }): void;
  /** First and every later welcome, after the verdicts were obeyed. */
  welcomed(session: number): void;
  renewed(remainingMs: number): void;
  /** Whether a lease is of use although no attempt is held; left out: never. */
  wantsLease?(): boolean;
  revoked(): void;
};
