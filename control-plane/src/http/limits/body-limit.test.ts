import { describe, expect, it } from 'vitest';
import { LOCAL, createHttpApp } from '../../../../test/support/http-app.ts';
import { MAX_BODY_BYTES } from './body-limit.ts';

/** A body in pieces of 64 KiB, and how much of it was taken. */
function longBody(bytes: number) {
  const taken = { bytes: 0 };
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (taken.bytes >= bytes) return controller.close();
      controller.enqueue(new Uint8Array(65_536).fill(120));
      taken.bytes += 65_536;
    },
  });
  return { stream, taken };
}

describe('the limit of bodies', () => {
  const send = (body: BodyInit, headers: Record<string, string> = {}) =>
    createHttpApp().app.request(
      '/api/v1/things',
      {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body,
        duplex: 'half',
      } as RequestInit,
      LOCAL,
    );

  it.each<Record<string, string>>([{}, { 'Content-Length': '20000000' }])(
    'takes all of a refused body, so that its sender sees the answer',
    async (headers) => {
      const { stream, taken } = longBody(20_000_000);
      const response = await send(stream, headers);
      expect(response.status).toBe(413);
      expect(await response.json()).toMatchObject({ status: 413, code: 'too_large' });
      expect(taken.bytes).toBeGreaterThanOrEqual(20_000_000);
    },
  );

  it('stops taking a body that does not end', async () => {
    const { stream, taken } = longBody(1_000_000_000);
    expect((await send(stream)).status).toBe(413);
    expect(taken.bytes).toBeLessThan(100_000_000);
  });

  it('lets a body without a length through, up to the limit', async () => {
    const text = JSON.stringify({ name: 'x'.repeat(MAX_BODY_BYTES - 11) });
    expect(text.length).toBe(MAX_BODY_BYTES);
    const response = await send(new Blob([text]).stream());
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(text);
    expect((await send(new Blob([`${text} `]).stream())).status).toBe(413);
  });

  describe('of strangers', () => {
    const { app } = createHttpApp();
    const deliver = (body: BodyInit, address = '192.0.2.7', headers: Record<string, string> = {}) =>
      app.request(
        '/webhooks/tracker',
        {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', ...headers },
          body,
          duplex: 'half',
        } as RequestInit,
        { remoteAddress: address },
      );

    it.each<Record<string, string>>([{}, { 'Content-Length': '20000000' }])(
      'takes little of a refused body',
      async (headers) => {
        const { stream, taken } = longBody(20_000_000);
        expect((await deliver(stream, undefined, headers)).status).toBe(413);
        expect(taken.bytes).toBeLessThan(MAX_BODY_BYTES + 600_000);
      },
    );

    it('holds so much for one client and for all, and gives it back', async () => {
      /** A body that stays unfinished until the test says so. */
      const open = (address: string) => {
        let finish = () => {};
        let taken = () => {};
        const isTaken = new Promise<void>((resolve) => (taken = resolve));
        const stream = new ReadableStream<Uint8Array>(
          {
            start(controller) {
              controller.enqueue(new TextEncoder().encode(`"${'x'.repeat(1_000_000)}`));
              finish = () => {
                controller.enqueue(new TextEncoder().encode('"'));
                controller.close();
              };
            },
            pull: () => taken(),
          },
          { highWaterMark: 0 },
        );
        return { answer: deliver(stream, address), isTaken, finish };
      };
      const mine = Array.from({ length: 2 }, () => open('192.0.2.7'));
      await Promise.all(mine.map(({ isTaken }) => isTaken));
      const third = await open('192.0.2.7').answer;
      expect(third.status).toBe(503);
      expect(third.headers.get('Retry-After')).toBe('2');
      expect(await third.json()).toMatchObject({ code: 'bodies_in_flight' });
      expect((await deliver('{}', '192.0.2.8')).status).toBe(200);
      const others = Array.from({ length: 2 }, (_, index) => open(`198.51.100.${index}`));
      await Promise.all(others.map(({ isTaken }) => isTaken));
      expect((await open('203.0.113.1').answer).status).toBe(503);
      for (const { finish } of [...mine, ...others]) finish();
      for (const { answer } of [...mine, ...others]) expect((await answer).status).toBe(200);
      const again = open('192.0.2.7');
      again.finish();
      expect((await again.answer).status).toBe(200);
    });

    it('counts what a chunk costs, however little is in it', async () => {
      let pulls = 0;
      const stream = new ReadableStream<Uint8Array>({
        pull(controller) {
          pulls += 1;
          if (pulls > 500_000) return controller.close();
          controller.enqueue(new Uint8Array([32]));
        },
      });
      expect((await deliver(stream, '192.0.2.99')).status).toBe(503);
      expect(pulls).toBeLessThan(10_000);
    });

    it('refuses what is nested deeper than any message', async () => {
      const nested = (depth: number) => `{"a":"]\\"[","b":${'['.repeat(depth)}`;
      expect((await deliver(nested(100_000))).status).toBe(400);
      expect((await deliver(`${'['.repeat(64)}${']'.repeat(64)}`)).status).toBe(200);
      expect((await deliver(`["${'['.repeat(1_000)}\\"${'['.repeat(1_000)}"]`)).status).toBe(200);
    });
  });
});
