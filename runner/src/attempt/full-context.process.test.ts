import { describe, expect, it } from 'vitest';
import type { FakeTurn } from './testing/fake-engine.ts';
import { limits, useHost } from './testing/use-host.ts';

const rig = useHost();
const { edit, finished, offer, payloads } = rig;
const full = { kind: 'context_exceeded', message: 'the input exceeds the window' } as const;

describe('a conversation that no longer fits the model', { timeout: 60_000 }, () => {
  it('goes on in a new thread that knows the task and what was said last', async () => {
    rig.world.engine.script = async (turn: FakeTurn) => {
      if (turn.number === 1) {
        await edit();
        turn.message('The parser is done, the printer is next.');
        return turn.end('failed', full);
      }
      turn.message('Both are done.\n\nSWITCHYARD_STATUS: DONE');
      turn.end();
    };
    offer({ resumeThreadId: 'thread-full', limits: { ...limits, maxTurns: 1 } });
    const { outcome, marker, delivery } = await finished();
    expect({ outcome, marker }).toEqual({ outcome: 'completed', marker: 'DONE' });
    expect(delivery?.diffStat.files).toBe(1);
    expect(payloads('thread')).toMatchObject([
      { threadId: 'thread-full', resumed: true },
      { threadId: 'thread-1', resumed: false },
    ]);
    const text = rig.world.engine.sessions[0]?.turns[1]?.input.text ?? '';
    expect(text).toContain('Fix it.');
    expect(text).toContain('The parser is done, the printer is next.');
    expect(text).toContain('git status');
  });

  it('ends under its own name when new threads fill as well', async () => {
    rig.world.engine.script = (turn: FakeTurn) => turn.end('failed', full);
    offer();
    const { failureKind, message } = await finished();
    expect(failureKind).toBe('agent_error');
    expect(message).toBe(
      'the conversation does not fit the context window of the model, ' +
        'not even in a new thread: the input exceeds the window',
    );
    expect(rig.world.engine.sessions[0]?.turns).toHaveLength(3);
  });
});
