import { describe, expect, it } from 'vitest';
import { mapNotification } from './map-notification.ts';
import { mapFailure } from './map-failure.ts';
import { MAX_ITEM_TEXT_BYTES, truncateText } from '../../session/truncate-text.ts';

const context = { limits: [] };
const scope = { threadId: 't', turnId: 'u' };

describe('notifications of the engine', () => {
  it('show the command that was written, not the shell around it', () => {
    const item = {
      id: 'c',
      type: 'commandExecution',
      command: "/bin/bash -c 'npm test | tail'",
      status: 'completed',
      exitCode: 1,
      aggregatedOutput: 'no',
    };
    expect(mapNotification('item/completed', { ...scope, item }, context)).toEqual([
      {
        kind: 'item_ended',
        itemId: 'c',
        item: {
          type: 'command',
          command: 'npm test | tail',
          status: 'completed',
          exitCode: 1,
          output: 'no',
        },
      },
    ]);
  });

  it('tell a file of the workspace by its path inside, any other one by its whole path', () => {
    const change = (path: string) => ({ path, kind: 'update', diff: '' });
    const changes = [change('/work/SY-1/src/a.js'), change('/work/SY-10/b.js'), change('c.js')];
    const item = { id: 'f', type: 'fileChange', status: 'completed', changes };
    const inWorkspace = { ...context, workspacePath: '/work/SY-1' };
    const [event] = mapNotification('item/completed', { ...scope, item }, inWorkspace);
    const paths = ['src/a.js', '/work/SY-10/b.js', 'c.js'].map((path) => ({ path }));
    expect(event).toMatchObject({ item: { type: 'file_change', changes: paths } });
  });

  it('keep items of a type that nobody knows yet', () => {
    const item = { id: 'n', type: 'hologram', query: 'x' };
    const [event] = mapNotification('item/started', { ...scope, item }, context);
    expect(event).toMatchObject({ item: { type: 'other', name: 'hologram', summary: 'x' } });
  });

  it('of an unknown form become a notice, of an unknown kind nothing', () => {
    const [event] = mapNotification('item/started', { item: 7 }, context);
    expect(event).toMatchObject({ kind: 'notice', level: 'warning' });
    expect(mapNotification('future/thing', {}, context)).toEqual([]);
  });

  it('tell a repeated provider call as a warning and leave a final error to the turn', () => {
    const error = { message: 'Reconnecting... 1/5', codexErrorInfo: null };
    expect(mapNotification('error', { ...scope, error, willRetry: true }, context)).toEqual([
      { kind: 'notice', level: 'warning', message: 'Reconnecting... 1/5', willRetry: true },
    ]);
    expect(mapNotification('error', { ...scope, error, willRetry: false }, context)).toEqual([]);
  });

  it('limit the diffs of a change together', () => {
    const change = { path: 'a', kind: { type: 'update' }, diff: 'd'.repeat(100_000) };
    const item = {
      id: 'f',
      type: 'fileChange',
      status: 'completed',
      changes: Array.from({ length: 300 }, () => change),
    };
    const [event] = mapNotification('item/completed', { ...scope, item }, context);
    expect(JSON.stringify(event).length).toBeLessThan(2 * MAX_ITEM_TEXT_BYTES);
    expect(JSON.stringify(event)).toContain('100 more files');
  });
});

describe('failures', () => {
  it.each([
    ['rateLimitExceeded', 'usage_limited'],
    ['unauthorized', 'auth_failed'],
    ['serverOverloaded', 'provider_unreachable'],
    ['badRequest', 'agent_error'],
    [{ responseTooManyFailedAttempts: { httpStatusCode: 503 } }, 'provider_unreachable'],
    [{ responseStreamDisconnected: { httpStatusCode: null } }, 'provider_unreachable'],
    [{ httpConnectionFailed: { httpStatusCode: 403 } }, 'auth_failed'],
    [{ httpConnectionFailed: { httpStatusCode: 404 } }, 'agent_error'],
    ['somethingNew', 'agent_error'],
  ])('%j is %s', (codexErrorInfo, kind) => {
    expect(mapFailure({ message: 'm', codexErrorInfo }, []).kind).toBe(kind);
  });

  it('name the reset of the window that is used up', () => {
    const error = { message: 'm', codexErrorInfo: 'usageLimitExceeded' };
    const limits = [
      { usedPercent: 100, resetsAt: 1_000 },
      { usedPercent: 40, resetsAt: 9_000 },
    ];
    expect(mapFailure(error, limits)).toMatchObject({ resetAtMs: 1_000_000 });
    expect(mapFailure(error, [])).not.toHaveProperty('resetAtMs');
  });
});

describe('long text', () => {
  it('keeps head and tail and whole characters', () => {
    const short = truncateText(`start ${'ä'.repeat(1_000)} end`, 300);
    expect(short).toMatch(/^start ä+\n… \d+ bytes left out …\nä+ end$/);
    expect(Buffer.byteLength(short)).toBeLessThanOrEqual(300);
    expect(truncateText('ä'.repeat(150), 300)).toBe('ä'.repeat(150));
  });
});
