import type { EngineCapabilities } from '@switchyard/shared/engine/runner-engine';
import { AWAITED_ENGINE_FEATURE } from '@switchyard/shared/protocol/features';
import { describe, expect, it } from 'vitest';
import type { CallError } from './calls.ts';
import { ATTEMPT, useSession } from './testing/use-session.ts';

const CAPABILITIES: EngineCapabilities = {
  wireApis: ['responses'],
  steering: 'joins',
  resume: true,
  questions: true,
  reasoningEffort: true,
  operator: false,
  experimental: false,
};

const rig = useSession();

describe('a session', () => {
  it('introduces itself and is welcomed', () => {
    expect(rig.plane.last('hello')).toMatchObject({
      runnerId: 'run_1',
      held: [],
      slots: { total: 4 },
    });
    expect(rig.attempts.welcomes).toBe(1);
  });

  it('keeps an engine that it could only decline from a control plane that would ask again and again', async () => {
    const engine = (name: string, state?: 'fetchable' | 'fetching' | 'failed') => ({
      name,
      version: '1',
      capabilities: CAPABILITIES,
      ...(state === undefined ? {} : { state }),
    });
    const said = () => rig.plane.last('hello')?.engines?.map(({ name }) => name);
    rig.state.introduction = {
      ...rig.state.introduction,
      engines: [
        engine('here'),
        engine('to-fetch', 'fetchable'),
        engine('coming', 'fetching'),
        engine('away', 'failed'),
      ],
    };
    rig.session.introduceAnew();
    await rig.clock.advance(1);
    expect(said()).toEqual(['here', 'to-fetch']);
    rig.plane.features = [AWAITED_ENGINE_FEATURE];
    rig.wire.cut();
    await rig.clock.advance(60_000);
    rig.session.introduceAnew();
    await rig.clock.advance(1);
    expect(said()).toEqual(['here', 'to-fetch', 'coming', 'away']);
  });

  it('accepts an offer and hands the grant on, also when it comes twice', async () => {
    rig.plane.mischief.doubleGrant = true;
    await rig.runOne();
    expect(rig.plane.all('accept')).toHaveLength(1);
    expect(rig.attempts.grants).toHaveLength(2);
    await rig.emit(3);
    await rig.clock.advance(60);
    expect(rig.plane.stored.get('att_00000001@1')).toHaveLength(3);
  });

  it('declines with the reason', async () => {
    rig.attempts.answer = { accepted: false, code: 'NO_SLOT' };
    await rig.runOne();
    expect(rig.plane.last('decline')).toMatchObject({ ...ATTEMPT, code: 'NO_SLOT' });
  });

  it('declines an offer that it cannot read and lives on', async () => {
    rig.plane.sayRaw(
      JSON.stringify([{ type: 'offer', ...ATTEMPT, expiresInMs: 1, spec: { attemptId: 1 } }]),
    );
    await rig.clock.advance(1);
    expect(rig.plane.last('decline')).toMatchObject({ ...ATTEMPT, code: 'SPEC_INVALID' });
    await rig.runOne();
    expect(rig.attempts.grants).toHaveLength(1);
  });

  it('answers an unknown message type and takes the rest of the frame', async () => {
    rig.plane.sayRaw(
      JSON.stringify([
        { type: 'dance', ref: 'x' },
        { type: 'drain', deadlineMs: 1 },
      ]),
    );
    rig.plane.sayRaw('{{{');
    await rig.clock.advance(1);
    expect(rig.plane.all('error')[0]).toMatchObject({
      code: 'UNSUPPORTED',
      ref: 'x',
      retryable: false,
    });
    expect(rig.attempts.draining()).toBe(true);
    expect(rig.plane.isConnected).toBe(true);
  });

  it('says accept again with the next renewal when the grant was lost', async () => {
    rig.plane.mischief.noGrant = true;
    await rig.runOne();
    rig.plane.mischief.noGrant = false;
    await rig.clock.advance(17_000);
    expect(rig.plane.all('accept').length).toBeGreaterThan(1);
    expect(rig.attempts.grants).toHaveLength(1);
  });
});

describe('a final error', () => {
  it('ends only the attempt whose events can never be stored', async () => {
    await rig.runOne();
    const error = {
      type: 'error',
      message: 'm',
      retryable: false,
      attemptId: ATTEMPT.attemptId,
    } as const;
    rig.plane.say({ ...error, code: 'SOMETHING' }, { ...error, code: 'EVENT_INVALID' });
    await rig.clock.advance(1);
    expect(rig.attempts.refusals).toEqual([ATTEMPT.attemptId]);
    expect(rig.plane.isConnected).toBe(true);
  });
});

describe('a host that lost its last events in a power cut', () => {
  it.each([
    ['an acknowledgement', { type: 'ack', ...ATTEMPT, upto: 7 }],
    [
      'a verdict',
      {
        type: 'renewed',
        ref: 'unknown',
        ttlMs: 60_000,
        verdicts: [{ ...ATTEMPT, verdict: 'keep', ackedSeq: 7 }],
      },
    ],
  ] as const)('gives the attempt up when %s says that more is stored', async (_, message) => {
    await rig.runOne();
    rig.plane.say(message as Parameters<typeof rig.plane.say>[0]);
    await rig.clock.advance(1);
    expect(rig.attempts.refusals).toEqual([ATTEMPT.attemptId]);
    expect(rig.attempts.kept).toEqual([]);
  });
});

describe('orders and calls', () => {
  it('hands on orders from their own messages and from renewed alike', async () => {
    await rig.runOne();
    rig.plane.say({ type: 'cancel', ...ATTEMPT, reason: 'abort', graceMs: 10 });
    rig.plane.say({ type: 'steer', ...ATTEMPT, steer: { messageId: 'm1', text: 'faster' } });
    rig.plane.say({
      type: 'renewed',
      ref: 'unknown',
      ttlMs: 1,
      verdicts: [
        {
          ...ATTEMPT,
          verdict: 'keep',
          ackedSeq: 0,
          answers: [{ requestId: 'r1', answers: { q: ['yes'] } }],
        },
      ],
    });
    await rig.clock.advance(1);
    expect(rig.attempts.kept).toMatchObject([
      { cancel: { reason: 'abort', graceMs: 10 } },
      { steers: [{ messageId: 'm1' }] },
      { answers: [{ requestId: 'r1' }] },
    ]);
    expect(rig.attempts.expired).toBe(0);
  });

  it('answers calls, with an error for what it does not know', async () => {
    rig.plane.say(
      { type: 'call', callId: 'c1', method: 'echo', params: { a: 1 }, timeoutMs: 1_000 },
      { type: 'call', callId: 'c2', method: 'none', params: {}, timeoutMs: 1_000 },
    );
    await rig.clock.advance(1);
    expect(rig.plane.all('result')).toMatchObject([
      { callId: 'c1', ok: true, value: { a: 1 } },
      { callId: 'c2', ok: false, error: { message: 'no such method' } },
    ]);
  });

  it('asks, and is told when nobody answers or the session ends', async () => {
    const params = { branch: 'b', commitSha: 'c', repositoryUrl: 'file:///r' };
    await expect(rig.calls.call('push.permit', params, 1_000, ATTEMPT)).resolves.toEqual({
      allowed: true,
    });
    rig.plane.mischief.mute = true;
    const ask = (timeoutMs: number) =>
      rig.calls
        .call('push.permit', params, timeoutMs, ATTEMPT)
        .catch((error: CallError) => error.code);
    const late = ask(1_000);
    await rig.clock.advance(1_100);
    expect(await late).toBe('timeout');
    const cut = ask(60_000);
    rig.wire.cut();
    await rig.clock.advance(1);
    expect(await cut).toBe('disconnected');
  });
});

describe('the socket', () => {
  it('is given up after 25 s of silence and opened again', async () => {
    rig.plane.mischief.noPong = true;
    await rig.clock.advance(31_000);
    rig.plane.mischief.noPong = false;
    await rig.clock.advance(2_000);
    expect(rig.wire.dials).toBe(2);
    expect(rig.plane.isConnected).toBe(true);
  });

  it('is opened again when hello got lost and nothing but pings is answered', async () => {
    rig.plane.mischief.mute = true;
    rig.wire.cut();
    await rig.clock.advance(30_000);
    rig.plane.mischief.mute = false;
    await rig.clock.advance(30_000);
    expect(rig.attempts.welcomes).toBe(1);
    await rig.clock.advance(30_000);
    expect(rig.attempts.welcomes).toBe(2);
  });

  it('is tried for ever, at most once per window', async () => {
    rig.wire.refuse = true;
    rig.wire.cut();
    await rig.clock.advance(10 * 60_000);
    expect(rig.wire.dials).toBeLessThan(30);
    rig.wire.refuse = false;
    await rig.clock.advance(61_000);
    expect(rig.plane.isConnected).toBe(true);
  });

  it('is opened anew when the control plane says goaway', async () => {
    rig.plane.say({ type: 'goaway', reason: 'deploy', afterMs: 1_000 });
    await rig.clock.advance(3_000);
    expect(rig.wire.dials).toBe(2);
    expect(rig.plane.all('hello')).toHaveLength(2);
  });
});
