import { afterEach, describe, expect, it } from 'vitest';
import {
  type FakeReceiver,
  startFakeReceiver,
} from '../../../../test/support/receivers/fake-receiver.ts';
import { PostFailed, postJson } from './post-json.ts';

const receivers: FakeReceiver[] = [];
const receiver = async () => {
  const started = await startFakeReceiver();
  receivers.push(started);
  return started;
};
afterEach(async () => {
  for (const started of receivers.splice(0)) await started.close();
});

const post = (url: string, timeoutMs = 30_000) => postJson({ url, body: '{}', timeoutMs });
async function failure(work: Promise<void>): Promise<PostFailed> {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof PostFailed)) throw new Error('it did not fail');
  return error;
}

describe('a post', () => {
  it('arrives as it is', async () => {
    const to = await receiver();
    await post(to.url);
    expect(to.received).toMatchObject([
      { body: '{}', headers: { 'content-type': 'application/json' } },
    ]);
  });

  it('that is refused says so in the words of the receiver, without its own address', async () => {
    const to = await receiver();
    const path = new URL(to.url).pathname;
    to.behave({ kind: 'status', status: 400, body: `invalid_blocks\n at ${to.url} or ${path}` });
    const error = await failure(post(to.url));
    expect(error.message).toBe('answered 400: invalid_blocks at [hidden] or [hidden]');
    expect(error.useless).toBe(true);
  });

  it('that comes too soon says when to come back', async () => {
    const to = await receiver();
    to.behave({ kind: 'status', status: 429, headers: { 'retry-after': '7' } });
    expect(await failure(post(to.url))).toMatchObject({ retryAfterMs: 7_000, useless: false });
  });

  it('follows no redirect', async () => {
    const [to, other] = [await receiver(), await receiver()];
    to.behave({ kind: 'status', status: 307, headers: { location: other.url } });
    expect((await failure(post(to.url))).message).toBe('answered 307');
    expect(other.received).toEqual([]);
  });

  it('waits no longer than it is told to', async () => {
    const to = await receiver();
    to.behave({ kind: 'hang' });
    expect((await failure(post(to.url, 50))).message).toBe('no answer within 50 ms');
  });

  it('to nobody names the reason and not the address', async () => {
    const to = await receiver();
    await to.close();
    const { message } = await failure(post(to.url));
    expect(message).toMatch(
      /^(nothing accepts connections there|the connection broke off) \(E?[A-Z_]+\)$/,
    );
    expect((await failure(post('file:///etc/passwd'))).message).toMatch(/not an http/);
  });
});
