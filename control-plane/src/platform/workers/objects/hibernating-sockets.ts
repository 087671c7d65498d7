import { SOCKET_DEAD_MS } from '@switchyard/shared/protocol/limits';
import type { ControlPlaneMessage } from '@switchyard/shared/protocol/messages';
import { toJson } from '@switchyard/shared/text/well-formed-json';
import type { RunnerSockets } from '../../../ports/ports.ts';

/** Data that a socket keeps while its object hibernates. */
export type SocketNote = {
  runnerId: string;
  /** Id of the connection, by which its state in memory is found again. */
  connection: string;
  /** A runner's newest connection replaces older ones. */
  openedAtMs: number;
  /** Session number from the runner's `hello`; null before it. */
  session: number | null;
};

/** Notes of sockets since the object woke: each frame needs one, and reading it makes a copy. */
const read = new WeakMap<WebSocket, SocketNote>();

export function noteOf(socket: WebSocket): SocketNote {
  const known = read.get(socket);
  if (known !== undefined) return known;
  const note = socket.deserializeAttachment() as SocketNote;
  read.set(socket, note);
  return note;
}

/** Stores the note with the socket, so that it survives hibernation. */
export function setNote(socket: WebSocket, note: SocketNote): void {
  socket.serializeAttachment(note);
  read.set(socket, note);
}

/** The sockets that the runtime keeps for this object, also while it hibernates. */
export class HibernatingSockets implements RunnerSockets {
  readonly #ctx: DurableObjectState;
  /** When the last frame arrived, by connection; after hibernation only pings tell. */
  readonly #lastSeenAtMs = new Map<string, number>();
  readonly #onDead: (socket: WebSocket) => void;

  /** `onDead` is called with a socket that was silent for too long, after it is closed. */
  constructor(ctx: DurableObjectState, onDead: (socket: WebSocket) => void) {
    this.#ctx = ctx;
    this.#onDead = onDead;
  }

  /** Accepts a socket; older ones of the same runner are closed. */
  accept(socket: WebSocket, runnerId: string): void {
    const older = this.#ofRunner(runnerId);
    this.#ctx.acceptWebSocket(socket, [runnerId]);
    const note = { runnerId, connection: crypto.randomUUID(), openedAtMs: Date.now() };
    setNote(socket, { ...note, session: null });
    for (const one of older) one.close(4409, 'a newer connection has taken over');
  }

  heard(socket: WebSocket): void {
    this.#lastSeenAtMs.set(noteOf(socket).connection, Date.now());
  }

  forget(socket: WebSocket): void {
    this.#lastSeenAtMs.delete(noteOf(socket).connection);
  }

  send(runnerId: string, messages: ControlPlaneMessage[]): boolean {
    const [socket] = this.#ofRunner(runnerId);
    if (socket === undefined) return false;
    if (messages.length > 0) socket.send(toJson(messages));
    return true;
  }

  close(runnerId: string, code: number, reason: string): void {
    for (const socket of this.#ofRunner(runnerId)) socket.close(code, reason);
  }

  async connected(runnerIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const found = new Map<string, number>();
    for (const id of runnerIds) {
      const [socket] = this.#ofRunner(id).filter((one) => !this.#endDead(one));
      if (socket !== undefined) found.set(id, this.#lastSeenMs(socket));
    }
    return found;
  }

  /** Runners with an open socket in this object. */
  runnerIds(): string[] {
    return [
      ...new Set(
        this.#ctx
          .getWebSockets()
          .filter(isOpen)
          .map((one) => noteOf(one).runnerId),
      ),
    ];
  }

  /** Closes every socket that was silent for too long; returns how many are left. */
  sweep(): number {
    return this.#ctx.getWebSockets().filter((socket) => isOpen(socket) && !this.#endDead(socket))
      .length;
  }

  /** Open sockets of a runner, the newest first. */
  #ofRunner(runnerId: string): WebSocket[] {
    return this.#ctx
      .getWebSockets(runnerId)
      .filter(isOpen)
      .sort((one, other) => noteOf(other).openedAtMs - noteOf(one).openedAtMs);
  }

  /** When the socket was last active: the runtime answers pings itself and records the time. */
  #lastSeenMs(socket: WebSocket): number {
    const { openedAtMs, connection } = noteOf(socket);
    const pingedAtMs = this.#ctx.getWebSocketAutoResponseTimestamp(socket)?.getTime() ?? 0;
    return Math.max(openedAtMs, pingedAtMs, this.#lastSeenAtMs.get(connection) ?? 0);
  }

  /** Closes a socket that was silent for too long, as close events may be lost; whether it did. */
  #endDead(socket: WebSocket): boolean {
    if (Date.now() - this.#lastSeenMs(socket) < SOCKET_DEAD_MS) return false;
    socket.close(1001, 'no sign of life');
    this.#onDead(socket);
    return true;
  }
}

function isOpen(socket: WebSocket): boolean {
  return socket.readyState === WebSocket.OPEN;
}
