import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { base64Decoder } from './base64-decoder.ts';
import { createServerFetch } from './create-server-fetch.ts';
import { base64Length, encodeBase64 } from './encode-base64.ts';
import { readLarge } from './read-large.ts';
import { onlyLarge, storeLarge } from './store-large.ts';

const LARGE = Uint8Array.from({ length: 100_001 }, (_, index) => (index * 7) % 256);
const statement = { sql: 'insert', args: ['a "key" @bytes@', 3, null, LARGE] };

describe('letters of bytes', () => {
  it.each([0, 1, 2, 3, 4, 5, 1_000])('are those of the standard for %d bytes', (length) => {
    const bytes = LARGE.subarray(0, length);
    const letters = new Uint8Array(base64Length(length));
    encodeBase64(bytes, letters, 0);
    const text = Buffer.from(bytes).toString('base64').replace(/=+$/, '');
    expect(Buffer.from(letters).toString()).toBe(text);
    const back = new Uint8Array(length);
    const decoder = base64Decoder(back);
    // In pieces that end anywhere, with the padding that some servers add.
    for (const letter of `${text}==`) decoder.take(Buffer.from(letter));
    expect(decoder.length()).toBe(length);
    expect(Buffer.compare(back, bytes)).toBe(0);
  });
});

describe('large values on their way', () => {
  let close = () => {};
  afterEach(() => close());

  async function serverThat(answers: (body: Buffer) => [status: number, body: string]) {
    const server = createServer((asked, answer) => {
      void buffer(asked).then((sent) => {
        const [status, body] = answers(sent);
        // In small pieces: what is looked for may be cut anywhere.
        answer.writeHead(status);
        for (let at = 0; at < body.length; at += 1_000) answer.write(body.slice(at, at + 1_000));
        answer.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    close = () => {
      server.closeAllConnections();
      server.close();
    };
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  }
  const ok = (result: unknown) =>
    JSON.stringify({ results: [{ type: 'ok', response: { type: 'execute', result } }] });

  it('are sent as the protocol has them, and alone', async () => {
    let seen: unknown = null;
    const address = await serverThat((body) => {
      seen = JSON.parse(body.toString());
      return [200, ok({ rows: [], affected_row_count: 1 })];
    });
    const stored = await storeLarge(address, createServerFetch(5_000), statement);
    expect(stored).toEqual({ results: [{ columns: [], rows: [], rowsAffected: 1 }] });
    const base64 = Buffer.from(LARGE).toString('base64').replace(/=+$/, '');
    expect(seen).toMatchObject({
      requests: [
        {
          stmt: {
            sql: 'insert',
            args: [
              { type: 'text', value: 'a "key" @bytes@' },
              { type: 'integer', value: '3' },
              { type: 'null' },
              { type: 'blob', base64 },
            ],
          },
        },
        { type: 'close' },
      ],
    });
    expect(onlyLarge([[statement]])).toBe(statement);
    expect(onlyLarge([[statement], [statement]])).toBeNull();
    expect(onlyLarge([[statement, statement]])).toBeNull();
    expect(onlyLarge([[{ sql: 'x', args: [new Uint8Array(9)] }]])).toBeNull();
  });

  it('are read in pieces; no row is null, and a refusal has its code', async () => {
    const base64 = Buffer.from(LARGE).toString('base64');
    const answers = [
      [200, ok({ rows: [[{ type: 'blob', base64 }]], affected_row_count: 0 })],
      [200, ok({ rows: [], affected_row_count: 0 })],
      [200, JSON.stringify({ results: [{ type: 'error', error: { message: 'no', code: 'X' } }] })],
      [503, 'away'],
    ] as [number, string][];
    const address = await serverThat(() => answers.shift() ?? [500, '']);
    const read = () => readLarge(address, { sql: 'select', args: [] }, LARGE.byteLength);
    const bytes = await read();
    expect(Buffer.compare(bytes ?? new Uint8Array(), LARGE)).toBe(0);
    expect(await read()).toBeNull();
    await expect(read()).rejects.toMatchObject({ code: 'X' });
    await expect(read()).rejects.toMatchObject({ cause: { status: 503 } });
  });
});
