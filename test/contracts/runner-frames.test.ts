import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MAX_FRAME_BYTES } from '@switchyard/shared/protocol/limits';
import { audit } from '../../control-plane/src/db/schema/operation/audit.ts';
import {
  openSession,
  type RunnerSession,
} from '../../control-plane/src/runners/session/runner-session.ts';
import { type CoreWorld, createCoreWorld } from '../support/core/core-world.ts';
import { dumpTables } from '../support/core/dump-tables.ts';
import { openFramePeer } from '../support/core/runner-peers.ts';
import { scriptRunner } from '../support/core/scripted-runner.ts';

let world: CoreWorld;
let session: RunnerSession;
beforeEach(async () => {
  world = await createCoreWorld(openFramePeer);
  const joined = await world.join();
  session = openSession(joined.runnerId);
  const hello = scriptRunner(world, joined).helloMessage();
  await world.core.handleFrame(session, JSON.stringify([hello]));
});
afterEach(() => world.close());

const frame = (text: string) => world.core.handleFrame(session, text);
const renew = { type: 'renew', ref: 'r', held: [], slots: { total: 1, free: 1 } };

describe('a frame that is no frame', () => {
  it.each(['', '{', '{"type":"renew"}', 'null', '"renew"', '[', '\u0000', '[{"type":"renew"}'])(
    'is refused as malformed and closes the session: %j',
    async (text) => {
      const before = await dumpTables(world.deps.db);
      const { replies, close } = await frame(text);
      expect(close?.code).toBe(1007);
      expect(replies).toMatchObject([{ type: 'error', code: 'MALFORMED', retryable: false }]);
      expect(await dumpTables(world.deps.db)).toEqual(before);
    },
  );

  it('is refused when it is larger than a frame may be', async () => {
    const text = JSON.stringify([{ ...renew, padding: 'x'.repeat(MAX_FRAME_BYTES) }]);
    expect(await frame(text)).toMatchObject({ replies: [], close: { code: 1009 } });
  });

  it('counts bytes, not characters', async () => {
    const text = JSON.stringify([{ ...renew, padding: '€'.repeat(MAX_FRAME_BYTES / 2) }]);
    expect(await frame(text)).toMatchObject({ replies: [], close: { code: 1009 } });
  });

  it('is refused with more messages than a frame may have', async () => {
    const many = (count: number) =>
      JSON.stringify(Array.from({ length: count }, () => ({ type: 'nothing' })));
    expect((await frame(many(300))).close?.code).toBe(1007);
    const { replies, close } = await frame(many(256));
    expect(close).toBeUndefined();
    expect(replies).toHaveLength(256);
  });
});

describe('a runner of another protocol', () => {
  it('is told which one is spoken here, and its connection ends', async () => {
    const stranger = await world.join();
    const hello = scriptRunner(world, stranger).helloMessage({ protocol: { min: 7, max: 9 } });
    const fresh = openSession(stranger.runnerId);
    const { replies, close } = await world.core.handleFrame(fresh, JSON.stringify([hello]));
    expect(replies).toMatchObject([{ code: 'PROTOCOL', retryable: false }]);
    expect(close).toEqual({ code: 4406, reason: 'this control plane speaks 1 to 1' });
    expect(fresh.session).toBeNull();
  });
});

describe('frames of one session', () => {
  it('are handled in the order in which they came', async () => {
    const texts = Array.from({ length: 20 }, (_, index) =>
      JSON.stringify([{ ...renew, ref: `r${index}` }]),
    );
    const order: string[] = [];
    await Promise.all(
      texts.map(async (text) => {
        const { replies } = await frame(text);
        for (const reply of replies) if (reply.type === 'renewed') order.push(reply.ref);
      }),
    );
    expect(order).toEqual(texts.map((_, index) => `r${index}`));
  });

  it('go on after one that failed in every way', async () => {
    world.failDatabase('everything');
    const { replies } = await frame(JSON.stringify([renew, { ...renew, ref: 'second' }]));
    expect(replies).toMatchObject([
      { type: 'error', retryable: true, ref: 'r' },
      { type: 'error', retryable: true, ref: 'second' },
    ]);
    world.failDatabase('none');
    expect((await frame(JSON.stringify([renew]))).replies).toMatchObject([{ type: 'renewed' }]);
  });

  it('say nothing of what is inside when they fail', async () => {
    world.failDatabase('everything');
    const { replies } = await frame(JSON.stringify([renew]));
    expect(JSON.stringify(replies)).not.toContain('SQLITE');
    world.failDatabase('none');
    expect(await world.deps.db.select().from(audit).where(eq(audit.operation, 'nothing'))).toEqual(
      [],
    );
  });
});
