/** A piece of a container's output. Stream 1 is standard output, 2 standard error. */
export type OutputPiece = { stream: 1 | 2; bytes: Uint8Array };

const HEADER_BYTES = 8;

/**
 * Splits Docker's multiplexed stream: frames of an 8-byte header (stream, three zeros, length
 * big-endian) and a payload. Pieces are passed on as they arrive, so a frame may be split. Throws
 * on an invalid header, which means that the container has a terminal.
 */
export async function* demux(source: AsyncIterable<Uint8Array>): AsyncGenerator<OutputPiece> {
  const header = Buffer.alloc(HEADER_BYTES);
  let headerBytes = 0;
  let remaining = 0;
  let stream: 1 | 2 = 1;
  for await (const chunk of source) {
    let at = 0;
    while (at < chunk.byteLength) {
      if (remaining === 0) {
        const take = Math.min(HEADER_BYTES - headerBytes, chunk.byteLength - at);
        header.set(chunk.subarray(at, at + take), headerBytes);
        headerBytes += take;
        at += take;
        if (headerBytes < HEADER_BYTES) continue;
        headerBytes = 0;
        stream = streamOf(header);
        remaining = header.readUInt32BE(4);
        continue;
      }
      const take = Math.min(remaining, chunk.byteLength - at);
      yield { stream, bytes: chunk.subarray(at, at + take) };
      remaining -= take;
      at += take;
    }
  }
}

function streamOf(header: Buffer): 1 | 2 {
  const stream = header[0];
  if ((stream !== 1 && stream !== 2) || header[1] !== 0 || header[2] !== 0 || header[3] !== 0) {
    throw new Error(`not a multiplexed container stream: ${header.toString('hex')}`);
  }
  return stream;
}
