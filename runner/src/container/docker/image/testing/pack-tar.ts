const BLOCK_BYTES = 512;

/** A tar archive of one file. */
export function packTar({ name, content }: { name: string; content: Buffer }): Buffer {
  const head = Buffer.alloc(BLOCK_BYTES);
  const octal = (value: number, length: number) =>
    `${value.toString(8).padStart(length - 1, '0')}\0`;
  head.write(name, 0);
  head.write(octal(0o644, 8), 100);
  head.write(octal(0, 8), 108);
  head.write(octal(0, 8), 116);
  head.write(octal(content.length, 12), 124);
  head.write(octal(0, 12), 136);
  head.write('        ', 148);
  head.write('0', 156);
  head.write('ustar\x0000', 257);
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  const padding = Buffer.alloc((BLOCK_BYTES - (content.length % BLOCK_BYTES)) % BLOCK_BYTES);
  return Buffer.concat([head, content, padding, Buffer.alloc(2 * BLOCK_BYTES)]);
}
