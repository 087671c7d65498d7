import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { followEvents } from './follow-events.ts';
import { ServiceClient } from './service-client.ts';

const frame = (seq: number, type = 'issue.updated') =>
  `data: ${JSON.stringify({ seq, type, at: '2026-11-20T10:00:00.000Z', data: {} })}\n\n`;

describe('following events', () => {
  const asked: string[] = [];
  /** A backup was restored while somebody followed; then the connection ends. */
  const answers = [frame(41), frame(9, 'stream.gap') + frame(10), frame(11, 'issue.completed')];
  let server: Server;
  beforeAll(async () => {
    server = createServer(({ url }, response) => {
      asked.push(url ?? '');
      response.setHeader('content-type', 'text/event-stream');
      response.end(answers.shift() ?? '');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  it('goes on in another history where that stands', async () => {
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}`;
    const flags = { url, host: 'unused', port: 0, dataDir: '/nonexistent' };
    const seen: number[] = [];
    const ended = await followEvents(new ServiceClient(flags, {}), {
      afterSeq: 40,
      signal: AbortSignal.timeout(60_000),
      onEvent: ({ seq }) => seen.push(seq),
      onTrouble: () => undefined,
      isLast: ({ type }) => type === 'issue.completed',
    });
    expect(ended).toBe('ended');
    expect(seen).toEqual([41, 9, 10, 11]);
    expect(asked.map((address) => address.split('?')[1])).toEqual([
      'after=40',
      'after=41',
      'after=10',
    ]);
  });
});
