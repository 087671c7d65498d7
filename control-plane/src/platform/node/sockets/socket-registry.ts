import type { ControlPlaneMessage } from '@switchyard/shared/protocol/messages';
import { toJson } from '@switchyard/shared/text/well-formed-json';
import { WebSocket } from 'ws';
import type { RunnerSockets } from '../../../ports/ports.ts';

/** Bytes that a slow runner may leave unread before its socket is closed; its lease continues. */
const MAX_BUFFERED_BYTES = 4_194_304;

/** Spread of the runners' reconnects after a restart. */
const COME_BACK_MS = 2_000;

/** Sends a text; false, with the socket closed, when the runner leaves too much unread. */
export function sendText(socket: WebSocket, text: string): boolean {
  if (socket.readyState !== socket.OPEN) return false;
  if (socket.bufferedAmount > MAX_BUFFERED_BYTES) {
    socket.terminate();
    return false;
  }
  socket.send(text);
  return true;
}

/** The open sockets of this process by runner; a runner's newest connection replaces older ones. */
export class SocketRegistry implements RunnerSockets {
  readonly #sockets = new Map<string, WebSocket>();
  readonly #lastSeenAtMs = new WeakMap<WebSocket, number>();

  add(runnerId: string, socket: WebSocket, nowMs: number): void {
    const older = this.#sockets.get(runnerId);
    this.#sockets.set(runnerId, socket);
    this.heard(socket, nowMs);
    older?.close(4409, 'a newer connection has taken over');
  }

  /** Records that something arrived over a socket, at least a ping. */
  heard(socket: WebSocket, nowMs: number): void {
    this.#lastSeenAtMs.set(socket, nowMs);
  }

  remove(runnerId: string, socket: WebSocket): void {
    if (this.#sockets.get(runnerId) === socket) this.#sockets.delete(runnerId);
  }

  send(runnerId: string, messages: ControlPlaneMessage[]): boolean {
    const socket = this.#sockets.get(runnerId);
    if (socket === undefined || socket.readyState !== socket.OPEN) return false;
    return messages.length === 0 || sendText(socket, toJson(messages));
  }

  close(runnerId: string, code: number, reason: string): void {
    this.#sockets.get(runnerId)?.close(code, reason);
  }

  async connected(runnerIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const found = new Map<string, number>();
    for (const id of runnerIds) {
      const socket = this.#sockets.get(id);
      if (socket?.readyState !== WebSocket.OPEN) continue;
      found.set(id, this.#lastSeenAtMs.get(socket) ?? 0);
    }
    return found;
  }

  /** Asks every runner to reconnect after a random delay, and closes its socket. */
  closeAll(code: number, reason: string): void {
    for (const [runnerId, socket] of this.#sockets) {
      this.send(runnerId, [{ type: 'goaway', reason, afterMs: COME_BACK_MS }]);
      socket.close(code, reason);
    }
  }
}
