import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CoreWorld, createCoreWorld } from '../../../../test/support/core/core-world.ts';
import { openFramePeer } from '../../../../test/support/core/runner-peers.ts';
import {
  sendTo,
  sign,
  WEBHOOK_VARIABLES,
} from '../../../../test/support/core/signed-deliveries.ts';
import { webhookDeliveries } from '../../db/schema/operation/webhook-deliveries.ts';

const REMOTE = { remoteAddress: '192.0.2.7' };
const LONG_BYTES = 25_000_000;
const KEPT = {
  action: 'created',
  repository: { full_name: 'acme/shop', html_url: 'https://github.com/acme/shop' },
  issue: { number: 7 },
  comment: { id: 9, body: 'Use the other one }"\\', user: { login: 'ada' } },
};

/** As GitHub sends it, with more than anybody reads. */
function longDelivery(bytes: number): string {
  const more = {
    ...KEPT,
    repository: { ...KEPT.repository, description: 'x', owner: { login: 'acme' } },
    sender: { login: 'ada' },
    issue: { number: 7, title: 'Talk' },
  };
  const text = JSON.stringify({ commits: [''], ...more });
  return text.replace('[""]', `["${'x'.repeat(bytes - text.length)}"]`);
}

/** A body that comes when it is let, and how much of it was taken. */
function slowly(text: string) {
  const bytes = new TextEncoder().encode(text);
  const taken = { bytes: 0 };
  let go = () => {};
  const gate = new Promise<void>((resolve) => (go = resolve));
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (taken.bytes > 2_000_000) await gate;
        if (taken.bytes >= bytes.length) return controller.close();
        controller.enqueue(bytes.subarray(taken.bytes, taken.bytes + 65_536));
        taken.bytes += 65_536;
      },
    },
    { highWaterMark: 0 },
  );
  return { stream, taken, go };
}

function inPieces(text: string, bytes: number): ReadableStream<Uint8Array> {
  const whole = new TextEncoder().encode(text);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= whole.length) return controller.close();
      controller.enqueue(whole.subarray(at, at + bytes));
      at += bytes;
    },
  });
}

describe('a long delivery of the code host', () => {
  let world: CoreWorld;
  beforeEach(async () => {
    world = await createCoreWorld(openFramePeer, WEBHOOK_VARIABLES);
  });
  afterEach(() => world.close());

  const stored = () => world.deps.db.select().from(webhookDeliveries);
  const headersOf = async (text: string, id: string) => ({
    'X-GitHub-Event': 'issue_comment',
    'X-GitHub-Delivery': id,
    'X-Hub-Signature-256': `sha256=${await sign(text)}`,
  });
  const deliver = async (text: string, id = 'd', headers: Record<string, string> = {}) =>
    sendTo(world, '/webhooks/codehost', {
      headers: { ...(await headersOf(text, id)), ...headers },
      body: text,
    });
  const stream = async (body: ReadableStream, headers: Record<string, string>) =>
    world.core.app.request(
      '/webhooks/codehost',
      {
        method: 'POST',
        body,
        duplex: 'half',
        headers: { 'Content-Type': 'application/json', ...headers },
      } as RequestInit,
      REMOTE,
    );

  it('is taken up to 25 MB, and only what is needed of it is stored', async () => {
    const text = longDelivery(LONG_BYTES);
    expect(await deliver(text)).toMatchObject({ status: 200, body: { duplicate: false } });
    expect(await deliver(text)).toMatchObject({ status: 200, body: { duplicate: true } });
    const [row, ...more] = await stored();
    expect(more).toEqual([]);
    expect(row).toMatchObject({ event: 'issue_comment.created', provider: 'codehost' });
    expect(JSON.parse(row?.body ?? '')).toEqual(KEPT);
    expect((await deliver(longDelivery(27_000_000), 'e')).status).toBe(413);
    const tracker = await sendTo(world, '/webhooks/tracker', { body: text });
    expect(tracker.status).toBe(413);
  });

  it('is refused when one byte of it is another, and unread without a signature', async () => {
    const text = longDelivery(3_000_000);
    const headers = await headersOf(text, 'd');
    const changed = text.replace('xxxxx', 'xxxxy');
    expect(await deliver(changed, 'd', headers)).toMatchObject({
      status: 401,
      body: { code: 'invalid_signature' },
    });
    for (const signature of ['', 'sha256=', `sha256=${'0'.repeat(63)}`, `sha1=${'0'.repeat(64)}`]) {
      const { stream: body, taken } = slowly(text);
      const more = { ...headers, 'X-Hub-Signature-256': signature };
      expect((await stream(body, more)).status, signature).toBe(401);
      expect(taken.bytes).toBe(0);
    }
    expect(await stored()).toEqual([]);
  });

  it('is refused when it comes byte by byte', async () => {
    const text = longDelivery(120_000);
    const answer = await stream(inPieces(text, 1), await headersOf(text, 'd'));
    expect(answer.status).toBe(413);
    expect(await stored()).toEqual([]);
  });

  it('says what is wrong with a body only to who signed it', async () => {
    for (const text of ['not json', '[]', `{"a":${'['.repeat(100)}`, '{"action":"created"']) {
      expect((await deliver(text)).status, text).toBe(400);
      const forged = { 'X-Hub-Signature-256': `sha256=${'0'.repeat(64)}` };
      expect((await deliver(text, 'd', forged)).status, text).toBe(401);
    }
    const comment = { ...KEPT.comment, body: 'x'.repeat(1_100_000) };
    expect((await deliver(JSON.stringify({ ...KEPT, comment }))).status).toBe(413);
    expect(await stored()).toEqual([]);
  });

  it.each([true, false])(
    'waits for no third: 503 with Retry-After, and short ones go on (length told: %s)',
    async (isReported) => {
      const text = longDelivery(4_000_000);
      const length: Record<string, string> = isReported
        ? { 'Content-Length': String(text.length) }
        : {};
      const running = await Promise.all(
        ['a', 'b'].map(async (id) => {
          const slow = slowly(text);
          const answer = stream(slow.stream, { ...(await headersOf(text, id)), ...length });
          await untilTaken(slow.taken);
          return { ...slow, answer };
        }),
      );
      const refused = await stream(slowly(text).stream, {
        ...(await headersOf(text, 'c')),
        ...length,
      });
      expect(refused.status).toBe(503);
      expect(refused.headers.get('Retry-After')).toMatch(/^\d+$/);
      const crumbs = await stream(inPieces(text.slice(0, 4_000), 1), await headersOf(text, 'c'));
      expect(crumbs.status).toBe(503);
      expect((await deliver(JSON.stringify(KEPT), 's')).status).toBe(200);
      for (const { go } of running) go();
      const answers = await Promise.all(running.map(async ({ answer }) => (await answer).status));
      expect(answers).toEqual([200, 200]);
      // Their room is free again.
      expect((await deliver(text, 'c')).status).toBe(200);
      expect((await stored()).map(({ delivery_id: id }) => id).toSorted()).toEqual([
        'a',
        'b',
        'c',
        's',
      ]);
    },
  );

  async function untilTaken(taken: { bytes: number }): Promise<void> {
    while (taken.bytes <= 2_000_000) await new Promise((resolve) => setImmediate(resolve));
  }
});
