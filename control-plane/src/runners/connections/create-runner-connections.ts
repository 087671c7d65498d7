import type { Clock, Ids, RunnerConnections, RunnerSockets } from '../../ports/ports.ts';
import { type After, createRunnerCalls } from './runner-calls.ts';
import { createRunnerInboxes } from './runner-inboxes.ts';

/** The connections of this process: its sockets, and inboxes for runners without one. */
export function createRunnerConnections(deps: {
  sockets: RunnerSockets;
  clock: Clock;
  ids: Ids;
  /** Default: the runtime's timers. */
  after?: After;
}): RunnerConnections {
  const inboxes = createRunnerInboxes(deps.sockets, deps.clock);
  return { ...inboxes, ...createRunnerCalls({ ...deps, sockets: inboxes }) };
}
