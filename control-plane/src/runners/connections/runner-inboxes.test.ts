import { describe, expect, it } from 'vitest';
import type { ControlPlaneMessage } from '@switchyard/shared/protocol/messages';
import { createRunnerInboxes } from './runner-inboxes.ts';

const noSockets = {
  send: () => false,
  close: () => undefined,
  connected: async () => new Map<string, number>(),
};
const clock = { nowMs: () => 7_000 };
const say = (reason: string): ControlPlaneMessage => ({ type: 'goaway', reason, afterMs: 0 });
const nothing = (): void => undefined;
const LONG_MS = 30_000;

describe('a runner that speaks by requests', () => {
  it('is answered as soon as there is something for it', async () => {
    const inboxes = createRunnerInboxes(noSockets, clock);
    expect(inboxes.send('run_1', [say('nobody there')])).toBe(false);
    inboxes.open('run_1', 1, nothing);
    expect(await inboxes.connected(['run_1', 'run_2'])).toEqual(new Map([['run_1', 7_000]]));
    const taken = inboxes.take('run_1', LONG_MS);
    expect(inboxes.send('run_1', [say('one'), say('two')])).toBe(true);
    expect(await taken).toEqual([say('one'), say('two')]);
    expect(await inboxes.take('run_1', 0)).toEqual([]);
    inboxes.close('run_1', 4403, 'revoked');
  });

  it('has one request that waits: an older one is answered empty', async () => {
    const inboxes = createRunnerInboxes(noSockets, clock);
    inboxes.open('run_1', 1, nothing);
    const older = inboxes.take('run_1', LONG_MS);
    const newer = inboxes.take('run_1', LONG_MS);
    expect(await older).toEqual([]);
    inboxes.send('run_1', [say('for the newer')]);
    expect(await newer).toEqual([say('for the newer')]);
    inboxes.close('run_1', 4403, 'revoked');
  });

  it('gets nothing that was meant for a former session', async () => {
    const inboxes = createRunnerInboxes(noSockets, clock);
    inboxes.open('run_1', 1, nothing);
    inboxes.send('run_1', [say('old')]);
    inboxes.open('run_1', 2, nothing);
    expect(await inboxes.take('run_1', 0)).toEqual([]);
    inboxes.close('run_1', 4403, 'revoked');
    expect(await inboxes.connected(['run_1'])).toEqual(new Map());
  });

  it('has no room for more than it may keep, and says so to who sends', () => {
    const inboxes = createRunnerInboxes(noSockets, clock);
    inboxes.open('run_1', 1, nothing);
    const many = Array.from({ length: 256 }, () => say('again'));
    expect(inboxes.send('run_1', many)).toBe(true);
    expect(inboxes.send('run_1', [say('too much')])).toBe(false);
    inboxes.close('run_1', 4403, 'revoked');
  });
});
