import type { RunnerMessageOf } from '@switchyard/shared/protocol/messages';
import type { AttemptPort } from './attempt-port.ts';
import type { CallTable } from './calls.ts';
import type { Channel } from './socket/channel.ts';
import type { LeaseAsker } from './lease-asker.ts';
import type { LiveSocket } from './socket/live-socket.ts';
import type { Log } from '../log.ts';

/**
 * The fields of `hello` that rarely change; after a change, `introduceAnew` sends the whole `hello`
 * again.
 */
export type Introduction = Omit<RunnerMessageOf<'hello'>, 'type' | 'slots' | 'held' | 'draining'>;

/** The runner for which a session speaks. */
export type SessionOwner = {
  introduction(): Introduction;
  /** Called for the first welcome of each socket, after its verdicts were applied. */
  welcomed(session: number): void;
  revoked(): void;
};

/** Dependencies of a session. */
export type SessionDeps = {
  owner: SessionOwner;
  attempts: AttemptPort;
  leases: LeaseAsker;
  calls: CallTable;
  openSocket(channel: Channel): LiveSocket;
  log: Log;
};
