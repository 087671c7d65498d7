import { describe, expect, it } from 'vitest';
import type { ModelRefusal, ModelReport, ModelTokens } from '../../egress/model/model-report.ts';
import { totals } from '../testing/fake-engine.ts';
import { limits, useHost } from '../testing/use-host.ts';

const rig = useHost();
const { finished, hang, offer, payloads, stored, turn, until } = rig;

const used = (input: number, output: number): ModelTokens => ({
  input,
  cachedInput: 0,
  output,
  reasoning: 0,
  total: input + output,
});
const quiet: ModelReport = {
  sinceMs: 1,
  answers: 0,
  uncounted: 0,
  tokens: used(0, 0),
  byModel: {},
  last: null,
  refusal: null,
  active: 0,
  silentSinceMs: null,
  lastEndMs: null,
};
const says = (change: Partial<ModelReport>): void => {
  rig.world.model = { ...(rig.world.model ?? quiet), ...change };
};
const refuses = (change: Partial<ModelRefusal>): void => {
  const refusal = {
    atMs: rig.world.clock.nowMs(),
    status: 429,
    kind: 'usage_limited' as const,
    code: 'rate_limit_exceeded',
    message: 'Slow down',
    resetAtMs: null,
    inARow: 1,
    ...change,
  };
  says({ refusal });
};
const usages = () => payloads('usage').map(({ own }) => (own as ModelTokens).total);

describe('what an attempt used of its model', { timeout: 60_000 }, () => {
  it('is told while the turn goes on, for an engine that tells nothing itself', async () => {
    rig.world.model = quiet;
    hang();
    offer();
    const one = await turn();
    says({ answers: 1, tokens: used(1_000, 50) });
    await until('the first report', () => usages().length === 1);
    says({ answers: 2, tokens: used(2_000, 100) });
    await until('the second report', () => usages().length === 2);
    await rig.world.clock.advance(5_000);
    says({ answers: 3, tokens: used(2_500, 120) });
    one.message('SWITCHYARD_STATUS: DONE');
    one.end();
    expect((await finished()).usage).toEqual(used(2_500, 120));
    expect(usages()).toEqual([1_050, 2_100, 2_620]);
    const order = (rig.world.plane.stored.get('att_00000001@1') ?? []).map(({ kind }) => kind);
    expect(order.lastIndexOf('usage')).toBeLessThan(order.lastIndexOf('turn'));
  });

  it('is what the proxy counted, whatever the engine says of its thread', async () => {
    rig.world.model = quiet;
    hang();
    offer();
    const one = await turn();
    says({ answers: 1, tokens: used(1_000, 50) });
    one.say({ kind: 'stats', totals, contextWindow: 9_000 });
    await until('the report', () => usages().length === 1);
    expect(payloads('usage')).toEqual([{ totals, own: used(1_000, 50), contextWindow: 9_000 }]);
    one.end('failed');
    expect((await finished()).usage).toEqual(used(1_000, 50));
  });

  it('is told by the model that answered, also by those beside the attempt’s own', async () => {
    rig.world.model = quiet;
    hang();
    offer();
    const one = await turn();
    const byModel = { 'gpt-5.5': used(1_000, 50), 'gpt-5-mini': used(30, 2) };
    says({ answers: 2, tokens: used(1_030, 52), byModel });
    await until('the report', () => usages().length === 1);
    expect(payloads('usage')[0]?.['byModel']).toEqual([
      { model: 'gpt-5.5', tokens: used(1_000, 50) },
      { model: 'gpt-5-mini', tokens: used(30, 2) },
    ]);
    one.end('failed');
    await finished();
  });

  it('is counted on over a restart of the runner and a death of the proxy', async () => {
    rig.world.plane.sealedSecrets = JSON.stringify({ providerApiKey: 'sk' });
    rig.world.model = quiet;
    hang();
    offer();
    await turn();
    says({ answers: 1, tokens: used(1_000, 0) });
    await until('the first report', () => usages().length === 1);
    await rig.runner.kill();
    says({ answers: 2, tokens: used(1_500, 0) });
    await rig.start();
    await until('what was used meanwhile', () => usages().at(-1) === 1_500);
    says({ sinceMs: 2, answers: 1, tokens: used(1_600, 0) });
    await until('what another proxy counted', () => usages().at(-1) === 3_100);
    says({ sinceMs: 3, answers: 0, tokens: used(0, 0) });
    await rig.world.clock.advance(3_000);
    says({ answers: 1, tokens: used(10, 0) });
    await until('what a third proxy counted', () => usages().at(-1) === 3_110);
    expect(usages()).toEqual([1_000, 1_500, 3_100, 3_110]);
  });

  it('is said to be incomplete, once, where the provider does not tell it', async () => {
    rig.world.model = quiet;
    hang();
    offer();
    const one = await turn();
    says({ answers: 2, uncounted: 1 });
    await until('the notice', () => stored('notice').length === 1);
    says({ answers: 3, uncounted: 2 });
    one.end('failed');
    await finished();
    expect(payloads('notice')).toMatchObject([
      { level: 'warning', message: expect.stringContaining('how many tokens') as string },
    ]);
    expect(usages()).toEqual([]);
  });
});

describe('a turn that the provider refused', { timeout: 60_000 }, () => {
  it('fails with the reason and the reset time that the engine lost', async () => {
    rig.world.model = quiet;
    const resetAtMs = 1_800_000_000_000;
    rig.world.engine.script = (one) => {
      refuses({ resetAtMs });
      one.end('failed', { kind: 'agent_error', message: 'something went wrong' });
    };
    offer();
    expect(await finished()).toMatchObject({
      failureKind: 'usage_limited',
      resetAtMs,
      message: 'Slow down (the model provider answered 429 rate_limit_exceeded)',
    });
  });

  it('tells a provider that sent nothing until the engine gave up from one that is away', async () => {
    rig.world.model = quiet;
    rig.world.engine.script = (one) => {
      const message = 'the model provider sent nothing for 31 s';
      refuses({ kind: 'provider_unreachable', status: null, code: 'SILENCE', message });
      one.end('failed', { kind: 'agent_error', message: 'stream disconnected' });
    };
    offer();
    expect(await finished()).toMatchObject({
      failureKind: 'provider_unreachable',
      reasonCode: 'provider_silent',
      message: 'the model provider sent nothing for 31 s',
    });
  });

  it('keeps the engine’s reason for what is the agent’s own, and for an older refusal', async () => {
    rig.world.model = quiet;
    rig.world.engine.script = (one) => {
      if (one.number === 1) {
        one.message('More to do.');
        return one.end();
      }
      one.end('failed', { kind: 'agent_error', message: 'out of ideas' });
    };
    refuses({ atMs: rig.world.clock.nowMs() - 1 });
    offer({ limits: { ...limits, maxTurns: 2 } });
    expect(await finished()).toMatchObject({ failureKind: 'agent_error', message: 'out of ideas' });
  });

  it('goes on in a new thread when its context is full, also where the engine cannot tell', async () => {
    rig.world.model = quiet;
    rig.world.engine.script = (one) => {
      if (one.number === 1) {
        refuses({ kind: 'context_exceeded', status: 400, message: 'prompt is too long' });
        return one.end('failed', { kind: 'agent_error', message: 'invalid request' });
      }
      says({ refusal: null, answers: 1 });
      one.message('SWITCHYARD_STATUS: DONE');
      one.end();
    };
    offer();
    expect((await finished()).outcome).toBe('completed');
    expect(payloads('thread')).toHaveLength(2);
  });

  it('has failed although the engine calls it complete, where no answer came at all', async () => {
    rig.world.model = quiet;
    rig.world.engine.script = (one) => {
      refuses({ kind: 'auth_failed', status: 401, code: null, message: 'Wrong key' });
      one.message('I could not reach my model.');
      one.end();
    };
    offer();
    expect(await finished()).toMatchObject({
      failureKind: 'auth_failed',
      message: 'Wrong key (the model provider answered 401)',
    });
  });
});

describe('an engine that waits in silence', { timeout: 60_000 }, () => {
  it('for a reset that is far away is stopped at once', async () => {
    rig.world.model = quiet;
    hang();
    offer();
    const one = await turn();
    const resetAtMs = rig.world.clock.nowMs() + 7_200_000;
    refuses({ resetAtMs });
    const finish = await finished();
    expect(finish).toMatchObject({ outcome: 'failed', failureKind: 'usage_limited', resetAtMs });
    expect(rig.world.clock.nowMs()).toBeLessThan(resetAtMs - 7_190_000);
    expect(one.session.interrupts).toBe(1);
  });

  it('for one that is near may sit it out, and tries again for a minute at most', async () => {
    rig.world.model = quiet;
    hang();
    offer();
    await turn();
    const beganMs = rig.world.clock.nowMs();
    refuses({ kind: 'provider_unreachable', status: 503, code: null, resetAtMs: beganMs + 20_000 });
    for (let inARow = 2; inARow <= 5; inARow += 1) {
      await rig.world.clock.advance(11_000);
      refuses({ kind: 'provider_unreachable', status: 503, code: null, inARow });
    }
    expect(rig.world.plane.finished.size).toBe(0);
    await rig.world.clock.advance(20_000);
    expect((await finished()).failureKind).toBe('provider_unreachable');
  });

  it('is left alone while an answer followed, a command runs, or a try is under way', async () => {
    rig.world.model = quiet;
    hang();
    offer();
    const one = await turn();
    refuses({});
    await rig.world.clock.advance(50_000);
    says({ refusal: null, answers: 1 });
    await rig.world.clock.advance(30_000);
    const item = { type: 'command', command: 'npm test', status: 'running' } as const;
    one.say({ kind: 'item_started', itemId: 'c', item });
    await until('the command', () => stored('item').length === 1);
    refuses({ resetAtMs: rig.world.clock.nowMs() + 7_200_000 });
    await rig.world.clock.advance(120_000);
    one.say({ kind: 'item_ended', itemId: 'c', item });
    says({ active: 1, silentSinceMs: rig.world.clock.nowMs() });
    await rig.world.clock.advance(120_000);
    expect(rig.world.plane.finished.size).toBe(0);
    says({ refusal: null, active: 0, silentSinceMs: null, answers: 2 });
    one.message('SWITCHYARD_STATUS: DONE');
    one.end();
    expect((await finished()).outcome).toBe('completed');
  });

  it('with a key that was refused three times is stopped', async () => {
    rig.world.model = quiet;
    hang();
    offer();
    await turn();
    refuses({ kind: 'auth_failed', status: 401, inARow: 2 });
    await rig.world.clock.advance(5_000);
    expect(rig.world.plane.finished.size).toBe(0);
    refuses({ kind: 'auth_failed', status: 401, inARow: 3 });
    expect((await finished()).failureKind).toBe('auth_failed');
  });

  it('for a provider that sends nothing names the provider before its own stall', async () => {
    rig.world.model = quiet;
    hang();
    offer({ limits: { ...limits, turnStallMs: 300_000 } });
    await turn();
    says({ active: 1, silentSinceMs: rig.world.clock.nowMs() });
    await rig.world.clock.advance(200_000);
    expect(rig.world.plane.finished.size).toBe(0);
    await rig.world.clock.advance(30_000);
    expect(await finished()).toMatchObject({
      outcome: 'failed',
      failureKind: 'provider_unreachable',
      reasonCode: 'provider_silent',
      message: expect.stringMatching(/has sent nothing for 22\d s/) as string,
    });
  });
});
