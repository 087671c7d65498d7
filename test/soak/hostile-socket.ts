import { connect } from 'node:net';

const PIECE = Buffer.alloc(65_536, 'x');

export type HostileRequest = {
  /** Everything up to the end of the headers, or less. */
  head: string;
  /** Sent after it as fast as the other side takes it, at most so many bytes. */
  flood?: { bytes: number; piece?: Buffer };
  /** Sent after it one at a time, once a second. */
  trickle?: string;
  /** Nothing of the answer is taken. */
  deaf?: boolean;
  /** The connection is given up after so long. */
  holdMs: number;
};

/** What became of it: the status of the answer, where one was read. */
export type HostileResult = { status: number | null };

/** One connection of a client that means no good. Never fails: being cut off is what it is for. */
export function sendHostile(
  { port }: { port: number },
  request: HostileRequest,
  signal: AbortSignal,
): Promise<HostileResult> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let status: number | null = null;
    let trickled = 0;
    const hold = setTimeout(() => socket.destroy(), request.holdMs);
    const drip = setInterval(() => {
      const next = request.trickle?.[trickled % request.trickle.length];
      trickled += 1;
      if (next !== undefined && socket.writable) socket.write(next);
    }, 1_000);
    const stop = () => void socket.destroy();
    signal.addEventListener('abort', stop);
    socket.on('error', () => undefined);
    socket.once('close', () => {
      clearTimeout(hold);
      clearInterval(drip);
      signal.removeEventListener('abort', stop);
      resolve({ status });
    });
    if (request.deaf === true) socket.pause();
    else {
      socket.once('data', (chunk: Buffer) => {
        status = Number(/^HTTP\/1\.1 (\d{3})/.exec(chunk.toString('latin1'))?.[1] ?? 0);
        if (request.trickle === undefined && request.flood === undefined) socket.end();
      });
    }
    socket.once('connect', () => {
      socket.write(request.head);
      if (request.flood !== undefined) flood(socket, request.flood);
    });
  });
}

function flood(
  socket: ReturnType<typeof connect>,
  { bytes, piece = PIECE }: NonNullable<HostileRequest['flood']>,
): void {
  let sent = 0;
  const go = () => {
    while (sent < bytes && socket.writable) {
      sent += piece.byteLength;
      if (!socket.write(piece)) return;
    }
  };
  socket.on('drain', go);
  go();
}
