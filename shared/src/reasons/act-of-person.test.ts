import { describe, expect, it } from 'vitest';
import { actOfPerson, actReason, textForReader } from './act-of-person.ts';
import { explainReason, reasonLine } from './explain-reason.ts';

const stopped = (actor: string) => ({
  status: 'cancelled' as const,
  reasonCode: 'stopped_by_person' as const,
  reason: actReason('stopped_by_person', actor),
});

describe('what a person did, in words', () => {
  it('is by you for who did it, and by name for everybody else', () => {
    expect(reasonLine(stopped('Ada'), 'Ada')).toBe('Stopped by you.');
    expect(reasonLine(stopped('Ada'), 'local')).toBe('Stopped by Ada.');
    expect(reasonLine(stopped('Ada'))).toBe('Stopped by Ada.');
    expect(reasonLine(stopped('local'), 'local')).toBe('Stopped by you.');
    expect(reasonLine(stopped('local'), 'Ada')).toBe('Stopped by the local user.');
    expect(reasonLine(stopped('anonymous'), 'anonymous')).toBe(
      'Stopped by somebody without a token.',
    );
  });

  it('is by nobody here where a tracker names who did it: everybody chooses a name there', () => {
    for (const actor of ['Ada', 'local', 'write-token']) {
      const reason = actReason('stopped_by_person', actor, 'tracker');
      expect(reasonLine({ ...stopped(actor), reason }, actor)).toBe(
        `Stopped by ${actor} in the tracker.`,
      );
    }
  });

  it('calls a retry a retry', () => {
    const reason = actReason('retry_requested', 'local');
    const queued = { status: 'queued' as const, reasonCode: 'retry_requested' as const, reason };
    expect(reasonLine(queued, 'local')).toBe('Retried by you.');
    expect(reasonLine(queued)).toBe('Retried by the local user.');
  });

  it.each([
    ['stopped_by_person', 'aborted by a person at the computer of this service', 'local'],
    ['stopped_by_person', 'aborted by Ada', 'Ada'],
    ['retry_requested', 'retry requested by somebody with the write token', 'write-token'],
  ] as const)('reads %s as former versions wrote it: %s', (code, reason, actor) => {
    expect(actOfPerson(code, reason)).toMatchObject({ actor });
  });

  it('leaves a reason as it is that no version of ours wrote, and any other code', () => {
    expect(reasonLine({ ...stopped('Ada'), reason: 'the desk was cleared' })).toBe(
      'Stopped by a person: the desk was cleared',
    );
    expect(actOfPerson('agent_error', 'stopped by Ada')).toBeNull();
    expect(explainReason(stopped('Ada'), 'Ada')).toMatchObject({ detail: null, action: 'retry' });
  });

  it('is by you in what was written for everybody, in its own lines alone', () => {
    const text =
      '**Switchyard**: stopped\n\nStopped by the local user.\n\nasked by the local user.';
    const mine = text.replace('Stopped by the local user.', 'Stopped by you.');
    expect(textForReader(text, 'local')).toBe(mine);
    expect(textForReader(text, 'Ada')).toBe(text);
    expect(textForReader('Stopped by stand by Ada.', 'Ada')).toBe('Stopped by stand by Ada.');
    expect(textForReader('Stopped by ` ada@a.example `.', 'ada@a.example')).toBe('Stopped by you.');
    expect(textForReader(text, null)).toBe(text);
  });

  it('says it once where the name has a line break or the words of another', () => {
    expect(reasonLine(stopped('stopped by Bob'), 'Ada')).toBe('Stopped by stopped by Bob.');
    expect(actOfPerson('stopped_by_person', 'stopped by a\nb')).toMatchObject({ actor: 'a\nb' });
  });
});
