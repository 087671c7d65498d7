import type { ControlPlaneMessage } from '@switchyard/shared/protocol/messages';
import type { RunnerSockets } from '../../../control-plane/src/ports/ports.ts';

export type RecordingSockets = RunnerSockets & {
  connect(runnerId: string): void;
  /** A ping of a connected runner came. */
  ping(runnerId: string, atMs: number): void;
  disconnect(runnerId: string): void;
  /** What was sent to a runner since the last look. */
  take(runnerId: string): ControlPlaneMessage[];
  closed: { runnerId: string; code: number }[];
};

/** Sockets that deliver into a list; a runner that is not connected loses its messages. */
export function createRecordingSockets(): RecordingSockets {
  const live = new Map<string, ControlPlaneMessage[]>();
  const lastSeenAtMs = new Map<string, number>();
  const closed: RecordingSockets['closed'] = [];
  return {
    closed,
    connect: (runnerId) => void live.set(runnerId, live.get(runnerId) ?? []),
    ping: (runnerId, atMs) => void lastSeenAtMs.set(runnerId, atMs),
    disconnect: (runnerId) => void live.delete(runnerId),
    take: (runnerId) => live.get(runnerId)?.splice(0) ?? [],
    connected: async (runnerIds) =>
      new Map(runnerIds.filter((id) => live.has(id)).map((id) => [id, lastSeenAtMs.get(id) ?? 0])),
    send(runnerId, messages) {
      const inbox = live.get(runnerId);
      // Copied as the wire would copy it.
      inbox?.push(...(JSON.parse(JSON.stringify(messages)) as ControlPlaneMessage[]));
      return inbox !== undefined;
    },
    close(runnerId, code) {
      closed.push({ runnerId, code });
      live.delete(runnerId);
    },
  };
}
