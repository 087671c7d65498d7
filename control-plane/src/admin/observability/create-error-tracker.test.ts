import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ErrorTracker } from '../../ports/ports.ts';
import { createErrorTracker } from './create-error-tracker.ts';
import { createRedactor } from '../../observe/redaction/create-redactor.ts';

const KEY = '0123456789abcdef0123456789abcdef';
const SECRET = 'the-write-token';

type Sent = {
  exception: { values: { type: string; value: string; stacktrace?: { frames: unknown[] } }[] };
  breadcrumbs?: { message: string; data?: Record<string, unknown> }[];
  tags?: Record<string, unknown>;
  contexts?: Record<string, Record<string, unknown>>;
  release?: string;
};

let server: Server;
let received: { path: string; body: string }[];
let status: number;
beforeEach(async () => {
  received = [];
  status = 200;
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => void parts.push(part));
    request.on('end', () => {
      received.push({ path: request.url ?? '', body: Buffer.concat(parts).toString() });
      response.writeHead(status).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const complaints: string[] = [];
async function open(changes: Partial<Parameters<typeof createErrorTracker>[0]> = {}) {
  complaints.length = 0;
  const redactor = createRedactor();
  redactor.hide(SECRET);
  const { port } = server.address() as AddressInfo;
  return createErrorTracker({
    dsn: `http://${KEY}@127.0.0.1:${port}/42`,
    release: 'switchyard@1.2.3',
    redactor,
    complain: (message) => void complaints.push(message),
    ...changes,
  });
}

/** An envelope is lines of JSON: its header, then each item's header and payload. */
async function sent(tracker: ErrorTracker): Promise<Sent[]> {
  await tracker.flush(5_000);
  return received.map(({ body }) => JSON.parse(body.split('\n')[2] ?? '') as Sent);
}

function failing(): Error {
  return new Error('it broke', { cause: new TypeError('deep down') });
}

describe('error tracking', () => {
  it('sends an error with its stack, its cause and the release', async () => {
    const tracker = await open();
    tracker.capture(failing());
    const [event] = await sent(tracker);
    expect(received[0]?.path).toMatch(/^\/api\/42\/envelope\//);
    expect(event?.release).toBe('switchyard@1.2.3');
    const values = event?.exception.values ?? [];
    expect(values.map(({ type, value }) => `${type}: ${value}`)).toEqual([
      'TypeError: deep down',
      'Error: it broke',
    ]);
    expect(JSON.stringify(values[1]?.stacktrace?.frames)).toContain('create-error-tracker.test');
  });

  it('brings the last hundred operations along, and none of those after it', async () => {
    const tracker = await open();
    for (let index = 1; index <= 130; index += 1) tracker.note(`step ${index}`, { index });
    tracker.capture(failing());
    tracker.note('afterwards');
    const [event] = await sent(tracker);
    const crumbs = event?.breadcrumbs ?? [];
    expect(crumbs).toHaveLength(100);
    expect(crumbs[0]?.message).toBe('step 31');
    expect(crumbs.at(-1)).toMatchObject({ message: 'step 130', data: { index: 130 } });
  });

  it('says which issue it was about and how many attempts that has had', async () => {
    const tracker = await open({
      attemptCountOf: async ({ attemptId }) =>
        attemptId === 'att_1' ? { identifier: 'SY-7', attemptCount: 3 } : null,
    });
    tracker.capture(failing(), { attemptId: 'att_1', operation: 'runner message finish' });
    const [event] = await sent(tracker);
    expect(event?.tags).toMatchObject({ issue: 'SY-7', attempt_count: 3 });
    expect(event?.contexts?.['issue']).toMatchObject({
      identifier: 'SY-7',
      attempt_count: 3,
      attempt_id: 'att_1',
    });
  });

  it('sends without the count when the database is what failed', async () => {
    const tracker = await open({ attemptCountOf: () => Promise.reject(new Error('away')) });
    tracker.capture(failing(), { issue: 'SY-7' });
    expect((await sent(tracker))[0]?.tags).toMatchObject({ issue: 'SY-7' });
  });

  it('sends no secret and no parameters of a statement', async () => {
    const tracker = await open();
    tracker.note(`asked with Bearer abcdef123456`, { note: SECRET, apiKey: 'k' });
    tracker.capture(new Error(`refused ${SECRET}`));
    tracker.capture(new Error('Failed query: insert into x values (?)\nparams: private words'));
    await tracker.flush(5_000);
    const items = received.map(({ body }) => body.split('\n').slice(2).join('\n')).join('\n');
    expect(received).toHaveLength(2);
    for (const secret of [SECRET, 'abcdef123456', 'private words', KEY]) {
      expect(items).not.toContain(secret);
    }
    expect(items).toContain('Failed query: insert into x');
  });

  it('goes on when the service behind the DSN fails or is gone', async () => {
    status = 500;
    const tracker = await open();
    tracker.capture(failing());
    await tracker.flush(5_000);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    tracker.capture(failing());
    await tracker.flush(5_000);
    expect(received).toHaveLength(1);
    server.listen(0, '127.0.0.1');
  });

  it('does nothing without a DSN', async () => {
    for (const dsn of [undefined, '']) {
      const tracker = await open({ dsn });
      tracker.note('x');
      tracker.capture(failing());
      await tracker.flush(5_000);
    }
    expect(received).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('says that a DSN is unusable without repeating it', async () => {
    const tracker = await open({ dsn: `nonsense-${KEY}` });
    tracker.capture(failing());
    await tracker.flush(5_000);
    expect(complaints).toHaveLength(1);
    expect(complaints.join()).not.toContain(KEY);
  });
});
