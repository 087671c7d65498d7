import { describe, expect, it } from 'vitest';
import type { ControlPlaneMessage } from '@switchyard/shared/protocol/messages';
import { createRunnerCalls } from './runner-calls.ts';

type Sent = Extract<ControlPlaneMessage, { type: 'call' }>;

function rig() {
  const sent: Sent[] = [];
  const timers: (() => void)[] = [];
  let last = 0;
  const calls = createRunnerCalls({
    ids: { next: (kind) => `${kind}_${(last += 1)}`, secret: () => 'not asked for' },
    sockets: {
      send: (_runnerId, messages) => {
        sent.push(...messages.filter((message) => message.type === 'call'));
        return true;
      },
      close: () => undefined,
      connected: async (ids) => new Map(ids.map((id) => [id, 0])),
    },
    after: (_delayMs, then) => {
      timers.push(then);
      return () => void timers.splice(timers.indexOf(then), 1);
    },
  });
  return { calls, sent, timers };
}

const STEER = { attemptId: 'att_1', epoch: 1, messageId: 'msg_1', text: 'left' };

const answered = (sent: Sent[]) => ({
  type: 'result' as const,
  callId: sent[0]?.callId ?? '',
  ok: true,
  value: { delivered: true },
});

describe('a call to a runner', () => {
  it('ends with the session it was sent in, and only that runner’s', async () => {
    const { calls, sent, timers } = rig();
    const gone = calls.call('run_1', 'turn.steer', STEER, 10_000);
    const other = calls.call('run_2', 'turn.steer', STEER, 10_000);
    calls.abandon('run_1');
    await expect(gone).rejects.toMatchObject({ status: 502 });
    expect(timers).toHaveLength(1);
    calls.settle('run_2', answered(sent.slice(1)));
    await expect(other).resolves.toEqual({ delivered: true });
    expect(timers).toEqual([]);
  });

  it('does not take the answer of another runner', async () => {
    const { calls, sent, timers } = rig();
    const call = calls.call('run_1', 'turn.steer', STEER, 10_000);
    calls.settle('run_2', answered(sent));
    timers[0]?.();
    await expect(call).rejects.toMatchObject({ status: 502 });
  });
});
