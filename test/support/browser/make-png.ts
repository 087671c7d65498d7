import { crc32, deflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const BITS_EACH = 8;
const TRUECOLOUR = 2;

/** A picture of this size in pixels, in colours that run from corner to corner. */
export function makePng(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([BITS_EACH, TRUECOLOUR], 8);
  const rows = Array.from({ length: height }, (_, y) =>
    // Each row begins with its filter: none.
    [0, ...Array.from({ length: width }, (_, x) => [(x * 255) / width, (y * 255) / height, 160])],
  );
  const pixels = deflateSync(Buffer.from(rows.flat(2)));
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(typed.length + 8);
  framed.writeUInt32BE(data.length, 0);
  framed.set(typed, 4);
  framed.writeUInt32BE(crc32(typed), framed.length - 4);
  return framed;
}
