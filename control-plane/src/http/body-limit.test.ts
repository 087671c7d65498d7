import { describe, expect, it } from 'vitest';
import { LOCAL, createHttpApp } from '../../../test/support/http-app.ts';
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
});
