import { EMPTY_DIGEST, extendDigest } from '@switchyard/shared/protocol/extend-digest';
import type { StreamEvent } from '@switchyard/shared/api/work/attempt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ControlPlaneMessageOf } from '@switchyard/shared/protocol/messages';
import {
  eventsMessage,
  finishMessage,
  heldItem,
  note,
  numbered,
} from '../support/core/scripted-runner.ts';
import { sign } from '../support/core/signed-deliveries.ts';
import { SocketRunner } from '../support/core/socket-runner.ts';
import { EventReader } from '../support/e2e/event-reader.ts';
import type { ServiceClient } from '../support/e2e/service-client.ts';
import { until } from '../support/e2e/until.ts';

type Offer = ControlPlaneMessageOf<'offer'>;

const TIMEOUT_MS = 60_000;
const FRAME_TOO_LARGE = 1_100_000;

const CODEHOST_SECRET = 'platform-codehost-secret';
/** What GitHub sends at most. */
const LONG_DELIVERY_BYTES = 25_000_000;

/** Enough configuration for an issue to be offered to a runner. */
export const PLATFORM_SETTINGS: Readonly<Record<string, string>> = {
  SERVICE_CONFIG__engine__provider__baseUrl: 'http://127.0.0.1:9/v1',
  SERVICE_CONFIG__engine__provider__apiKey: 'provider-key',
  SERVICE_CONFIG__limits__apiPerMinute: '1000000',
  SERVICE_CONFIG__webhook__codehostSecret: CODEHOST_SECRET,
  SERVICE_CONFIG__repos: JSON.stringify([
    { prefix: 'SY-', url: 'file:///srv/repositories/shop', default_branch: 'main' },
  ]),
};

export type Platform = {
  client: ServiceClient;
  close(): Promise<void>;
  /** Takes from memory what this platform may lose at any time. */
  forget(): Promise<void>;
};

export type PlatformTraits = {
  /** Nothing is ever forgotten: what takes a quarter of a minute may happen side by side. */
  keepsMemory?: boolean;
};

/** What a platform owes the core: sockets, alarm, streams and work that outlives its request. */
export function describePlatform(
  name: string,
  start: () => Promise<Platform>,
  { keepsMemory = false }: PlatformTraits = {},
): void {
  // Elsewhere a request of the one would wake what the other wants to see wake by itself.
  const itWaits = keepsMemory ? it.concurrent : it;
  describe(`platform: ${name}`, () => {
    let platform: Platform;
    let client: ServiceClient;
    const runners: SocketRunner[] = [];
    beforeAll(async () => {
      platform = await start();
      client = platform.client;
    }, TIMEOUT_MS * 2);
    afterAll(async () => {
      for (const runner of runners) runner.close();
      await platform?.close();
    });

    const join = async (label: string) => {
      const runner = await SocketRunner.join(client, label);
      runners.push(runner);
      return runner;
    };
    const statusOf = (runner: SocketRunner, status: string) =>
      until(
        async () =>
          (await client.runners()).find((row) => row.runnerId === runner.runnerId)?.status,
        (seen) => seen === status,
        { what: `a runner that is ${status}`, timeoutMs: TIMEOUT_MS },
      );

    const deliver = async (id: string, bytes: number, { isForged = false } = {}) => {
      const body = JSON.stringify({ commits: 'x'.repeat(bytes), ref: 'r' });
      const signature = await sign(isForged ? `${body} ` : body, CODEHOST_SECRET);
      const answer = await client.send('/webhooks/codehost', {
        method: 'POST',
        body,
        headers: {
          'content-type': 'application/json',
          'x-github-event': 'push',
          'x-github-delivery': id,
          'x-hub-signature-256': `sha256=${signature}`,
        },
      });
      return [answer.status, answer.body];
    };
    const isNew = [200, { duplicate: false }];

    it('takes two deliveries of 25 MB at once, signed over every byte', async () => {
      const both = ['long-1', 'long-2'].map((id) => deliver(id, LONG_DELIVERY_BYTES));
      expect(await Promise.all(both)).toEqual([isNew, isNew]);
      const again = await deliver('long-1', LONG_DELIVERY_BYTES);
      expect(again).toEqual([200, { duplicate: true }]);
      const forged = await deliver('long-3', LONG_DELIVERY_BYTES, { isForged: true });
      expect(forged).toMatchObject([401, { code: 'invalid_signature' }]);
    });

    it('stores deliveries that come together', async () => {
      for (let round = 0; round < 3; round += 1) {
        const all = Array.from({ length: 20 }, (_, at) => deliver(`short-${round}-${at}`, 1_000));
        expect(await Promise.all(all)).toEqual(all.map(() => isNew));
      }
    });

    it('refuses sockets without a token of a runner', async () => {
      const runner = await join('stranger');
      await expect(runner.open('Bearer nonsense')).rejects.toThrow('refused with 401');
    });

    it('tells who is no runner so before anything else, also without an upgrade', async () => {
      for (const authorization of ['', 'Bearer nonsense']) {
        const asked = { headers: { authorization } };
        const { status, body } = await client.send('/api/v1/runners/connect', asked);
        expect([status, body]).toMatchObject([401, { code: 'unauthorized' }]);
      }
    });

    it('answers pings, shows who is connected, and who went', async () => {
      const runner = await join('pings');
      const line = await runner.connect();
      await statusOf(runner, 'connected');
      await platform.forget();
      const before = line.texts.length;
      line.socket.send('ping');
      await until(
        () => line.texts,
        (texts) => texts.length > before,
        { what: 'a pong', timeoutMs: TIMEOUT_MS },
      );
      line.socket.close(1000);
      expect(await statusOf(runner, 'offline')).toBe('offline');
    });

    it('keeps the newest socket of a runner', async () => {
      const runner = await join('twice');
      const older = await runner.connect();
      await platform.forget();
      const newer = await runner.connect();
      expect((await older.end()).code).toBe(4409);
      await statusOf(runner, 'connected');
      newer.socket.close(1000);
      await statusOf(runner, 'offline');
    });

    it.each([
      ['what is no array', 'nonsense', 1007],
      ['bytes', Buffer.from('[]'), 1003],
      ['a frame that is too large', `[${' '.repeat(FRAME_TOO_LARGE)}]`, 1009],
    ])('closes on %s', async (what, frame, code) => {
      const line = await (await join(what)).connect();
      line.socket.send(frame);
      expect((await line.end()).code).toBe(code);
    });

    it('brings orders to a runner, and cuts one that is revoked', async () => {
      const runner = await join('orders');
      const line = await runner.connect();
      await platform.forget();
      await client.must('POST', `/runners/${runner.runnerId}/drain`);
      await line.next('drain');
      await platform.forget();
      await client.must('DELETE', `/runners/${runner.runnerId}`);
      expect((await line.end()).code).toBe(4403);
    });

    it('asks a runner and passes its answer on', async () => {
      const runner = await join('asked');
      const line = await runner.connect();
      await platform.forget();
      const asking = client.must<{ unavailable: unknown[] }>(
        'GET',
        `/workspaces?runner=${runner.runnerId}`,
      );
      const { callId } = await line.next('call');
      line.say({ type: 'result', callId, ok: true, value: { workspaces: [] } });
      expect((await asking).unavailable).toEqual([]);
      line.socket.close(1000);
      await statusOf(runner, 'offline');
    });

    it('streams events as they happen, and again from any point', async () => {
      const { identifier } = await client.createIssue({ title: 'Streamed', state: 'Backlog' });
      const reader = await EventReader.open(client.url, { query: `?issue=${identifier}` });
      const change = (description: string) =>
        client.must('PATCH', `/local/issues/${identifier}`, { description });
      await change('one');
      const first = await reader.waitFor(() => true);
      await reader.close();
      await platform.forget();
      const again = await EventReader.open(client.url, {
        query: `?issue=${identifier}`,
        lastEventId: first.seq - 1,
      });
      await change('two');
      const second = await again.waitFor((event) => event.seq > first.seq);
      expect(again.seqs.filter((seq) => seq <= second.seq)).toEqual([first.seq, second.seq]);
      await again.close();
    });

    it('shows a stored secret nowhere, whoever wrote it down', async () => {
      const secret = 'platform-secret-of-nobody';
      await client.must('POST', '/secrets/NOBODYS', { value: secret });
      const { identifier } = await client.createIssue({
        title: `With ${secret}`,
        state: 'Backlog',
      });
      const reader = await EventReader.open(client.url, { query: `?issue=${identifier}&after=0` });
      await platform.forget();
      await client.must('PATCH', `/local/issues/${identifier}`, { description: secret });
      await reader.waitFor(() => true);
      await reader.close();
      expect(JSON.stringify(reader.frames)).not.toContain(secret);
      for (const path of [`/${identifier}`, '/local/issues', '/search?q=With', `/${secret}`]) {
        const { body } = await client.ask('GET', `/api/v1${path}`);
        expect(JSON.stringify(body), path).not.toContain(secret);
        expect(JSON.stringify(body), path).toContain('[redacted]');
      }
    });

    /** A new issue's attempt at a runner that was connected for it. */
    const begin = async (title: string) => {
      const runner = await join(title);
      const line = await runner.connect();
      const { identifier } = await client.createIssue({ title, state: 'Todo' });
      await line.next('offer');
      await platform.forget();
      // An offer that took too long to answer was made again.
      const offered = () => refOf(line.messages.findLast(({ type }) => type === 'offer') as Offer);
      const accept = () => ({ type: 'accept' as const, ref: 'accept-1', ...offered() });
      const granted = await line.sayUntil(accept, 'granted');
      const lease = { ...refOf(granted), token: '', seq: 0, digest: EMPTY_DIGEST };
      return { runner, line, identifier, lease };
    };

    it('goes on in every event stream after a flush larger than a page', async () => {
      const { runner, line, identifier, lease } = await begin('Large');
      const flush = async (...texts: string[]) => {
        const items = numbered(lease, texts.map(note), Date.now());
        const message = eventsMessage(lease, items);
        lease.seq += items.length;
        lease.digest = await extendDigest(lease.digest, items);
        await line.sayUntil(
          () => message,
          'ack',
          (ack) => ack.upto === lease.seq,
        );
      };
      const listen = (lastEventId: number) =>
        EventReader.open(client.url, { query: `?issue=${identifier}`, lastEventId });
      const saying = (text: string) => (event: StreamEvent) =>
        JSON.stringify(event.data['payload'] ?? '').includes(`"${text}`);
      const live = await listen(0);
      await flush(...['one', 'two', 'three'].map((text) => `${text} ${'x'.repeat(40_000)}`));
      await flush('after');
      const two = await live.waitFor(saying('two'));
      const three = await live.waitFor(saying('three'));
      const after = await live.waitFor(saying('after'));
      for (const place of [two.seq, three.seq]) {
        const again = await listen(place);
        await again.waitFor(saying('after'));
        // Events of the issue itself may stand between.
        const heard = (reader: EventReader) =>
          reader.seqs.filter((seq) => seq > place && seq <= after.seq);
        expect(heard(again)).toEqual(heard(live));
        await again.close();
      }
      await live.close();
      await line.sayUntil(() => finishMessage(lease, { outcome: 'cancelled' }), 'finished');
      await client.must('PATCH', `/local/issues/${identifier}`, { state: 'Canceled' });
      line.socket.close(1000);
      await statusOf(runner, 'offline');
    });

    it('keeps every event of a lease once, whatever is forgotten in between', async () => {
      const { runner, line, identifier, lease } = await begin('Kept');
      for (const text of ['one', 'two', 'three']) {
        const items = numbered(lease, [note(text), note(`${text} more`)], Date.now());
        await platform.forget();
        const message = eventsMessage(lease, items);
        lease.seq += items.length;
        lease.digest = await extendDigest(lease.digest, items);
        // Said twice, as by a runner that lost the answer.
        line.say(message);
        await line.sayUntil(
          () => message,
          'ack',
          (ack) => ack.upto === lease.seq,
        );
      }
      const held = [heldItem(lease, lease.seq)];
      const renew = { type: 'renew', ref: 'renew-1', held, slots: { total: 1, free: 0 } } as const;
      await line.sayUntil(() => renew, 'renewed');
      for (const _ of ['said', 'repeated']) {
        await platform.forget();
        await line.sayUntil(() => finishMessage(lease, { outcome: 'cancelled' }), 'finished');
      }
      const { attempts } = await client.must<{ attempts: { attemptId: string }[] }>(
        'GET',
        `/${identifier}/attempts`,
      );
      expect(attempts.map(({ attemptId }) => attemptId)).toEqual([lease.attemptId]);
      const { events } = await client.attempt(lease.attemptId);
      const seqs = events.flatMap((event) =>
        event.type === 'attempt.event' ? [event.data['runnerSeq']] : [],
      );
      expect(seqs).toEqual([1, 2, 3, 4, 5, 6]);
      await client.must('PATCH', `/local/issues/${identifier}`, { state: 'Canceled' });
      line.socket.close(1000);
      await statusOf(runner, 'offline');
    });

    it('sends the stored events and ends where nobody wants to follow', async () => {
      const answer = await client.send<string>('/api/v1/events?last=1&follow=false', {});
      expect(answer.status).toBe(200);
      expect(answer.body.split('\n').filter((line) => line.startsWith('data: '))).toHaveLength(1);
    });

    itWaits(
      'ends the stream of a token that was revoked, and no other',
      { timeout: 120_000 },
      async () => {
        const { tokenId, token } = await client.must<{ tokenId: string; token: string }>(
          'POST',
          '/tokens',
          { name: `listener-${Date.now()}`, scope: 'read' },
        );
        const done = new AbortController();
        // From elsewhere: at this machine nobody needs a token.
        const listen = (authorization: Record<string, string>) =>
          fetch(`${client.url}/api/v1/events`, {
            headers: { 'X-Forwarded-For': '192.0.2.1', ...authorization },
            signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), done.signal]),
          });
        const mine = await listen({ authorization: `Bearer ${token}` });
        const other = await listen({});
        expect([mine.status, other.status]).toEqual([200, 200]);
        await client.must('DELETE', `/tokens/${tokenId}`);
        expect(await mine.text()).toContain(': connected');
        const heard = await other.body?.getReader().read();
        expect(heard).toMatchObject({ done: false });
        done.abort();
      },
    );

    itWaits(
      'wakes by itself when a row is due: an offer that nobody takes is made again',
      async () => {
        const runner = await join('slow');
        const line = await runner.connect();
        const { identifier } = await client.createIssue({ title: 'Offered', state: 'Todo' });
        const offer = await line.next('offer');
        await platform.forget();
        const again = await line.next('offer');
        expect(again.attemptId).toBe(offer.attemptId);
        expect(again.epoch).toBeGreaterThan(offer.epoch);
        await client.must('PATCH', `/local/issues/${identifier}`, { state: 'Canceled' });
        line.socket.close(1000);
        await statusOf(runner, 'offline');
      },
    );

    it('answers searches that come together', async () => {
      for (let round = 0; round < 4; round += 1) {
        const search = () => client.ask('GET', '/api/v1/search?q=hay');
        const answers = await Promise.all(Array.from({ length: 8 }, search));
        expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      }
    });

    it('finishes work after its answer: what was counted gets stored', async () => {
      for (let count = 0; count < 3; count += 1) await client.must('GET', '/runtime');
      const counted = /service_http_requests_total\{[^}]*method="GET"[^}]*\} [1-9]/;
      const text = await until(
        async () => String((await client.ask('GET', '/metrics')).body),
        (seen) => counted.test(seen),
        { what: 'the count of requests', timeoutMs: TIMEOUT_MS },
      );
      expect(text).toMatch(counted);
    });
  });
}

function refOf({ attemptId, epoch }: Pick<Offer, 'attemptId' | 'epoch'>) {
  return { attemptId, epoch };
}
