import type { ControlPlaneMessage } from '@switchyard/shared/protocol/messages';
import { SOCKET_DEAD_MS, SYNC_WAIT_MS } from '@switchyard/shared/protocol/limits';
import type { Clock, RunnerInboxes, RunnerSockets } from '../../ports/ports.ts';

/** Messages that may wait for one runner's next request; a dropped order is repeated later. */
const MAX_MESSAGES = 256;

type Inbox = {
  session: number;
  /** When the last request arrived or was answered, epoch milliseconds. */
  lastSeenAtMs: number;
  messages: ControlPlaneMessage[];
  /** Ends the long poll that waits for messages, if there is one. */
  wake: () => void;
  /** Timer that closes the inbox when no request comes for too long. */
  expiry: ReturnType<typeof setTimeout> | null;
  gone: () => void;
};

/**
 * Adds in-memory inboxes for runners without a socket to the platform's sockets. A message lost at
 * a restart is repeated later.
 */
export function createRunnerInboxes(
  sockets: RunnerSockets,
  clock: Pick<Clock, 'nowMs'>,
): RunnerInboxes {
  const inboxes = new Map<string, Inbox>();

  function drop(runnerId: string): void {
    const inbox = inboxes.get(runnerId);
    if (inbox === undefined) return;
    if (inbox.expiry !== null) clearTimeout(inbox.expiry);
    inboxes.delete(runnerId);
    inbox.wake();
  }

  function rest(runnerId: string, inbox: Inbox): void {
    inbox.lastSeenAtMs = clock.nowMs();
    if (inbox.expiry !== null) clearTimeout(inbox.expiry);
    inbox.expiry = setTimeout(() => {
      if (inboxes.get(runnerId) !== inbox) return;
      drop(runnerId);
      inbox.gone();
    }, SOCKET_DEAD_MS);
  }

  function put(inbox: Inbox, messages: readonly ControlPlaneMessage[]): boolean {
    if (inbox.messages.length + messages.length > MAX_MESSAGES) return false;
    inbox.messages.push(...messages);
    if (messages.length > 0) inbox.wake();
    return true;
  }

  return {
    open(runnerId, session, gone) {
      const known = inboxes.get(runnerId);
      if (known?.session === session) return rest(runnerId, known);
      drop(runnerId);
      const neverSeen = { lastSeenAtMs: 0, expiry: null };
      const inbox: Inbox = { session, messages: [], wake: () => {}, gone, ...neverSeen };
      inboxes.set(runnerId, inbox);
      rest(runnerId, inbox);
    },
    async take(runnerId, waitMs) {
      const inbox = inboxes.get(runnerId);
      if (inbox === undefined) return [];
      // Of two concurrent polls the older one is ended: its sender may have disconnected.
      inbox.wake();
      if (inbox.messages.length === 0 && waitMs > 0) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, Math.min(waitMs, SYNC_WAIT_MS));
          inbox.wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      if (inboxes.get(runnerId) === inbox) rest(runnerId, inbox);
      return inbox.messages.splice(0);
    },
    closeInboxes(reason) {
      for (const [runnerId, inbox] of inboxes) {
        put(inbox, [{ type: 'goaway', reason, afterMs: 0 }]);
        drop(runnerId);
      }
    },
    send(runnerId, messages) {
      if (sockets.send(runnerId, messages)) return true;
      const inbox = inboxes.get(runnerId);
      return inbox !== undefined && put(inbox, messages);
    },
    close(runnerId, code, reason) {
      sockets.close(runnerId, code, reason);
      drop(runnerId);
    },
    async connected(runnerIds) {
      const found = new Map(await sockets.connected(runnerIds));
      for (const id of runnerIds) {
        const inbox = inboxes.get(id);
        if (inbox !== undefined) found.set(id, Math.max(found.get(id) ?? 0, inbox.lastSeenAtMs));
      }
      return found;
    },
  };
}
