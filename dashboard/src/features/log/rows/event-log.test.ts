import type { StreamEvent } from '@switchyard/shared/api/work/attempt';
import { describe, expect, it } from 'vitest';
import { appendEvents, emptyLog, type EventLog, type ItemRow, type LogRow } from './event-log.ts';
import { shownOf } from './use-shown-rows.ts';

const START_MS = Date.parse('2026-11-20T10:00:00.000Z');

function event(
  seq: number,
  kind: string,
  payload: Record<string, unknown>,
  epoch = 1,
): StreamEvent {
  const at = new Date(START_MS + seq * 1_000).toISOString();
  return {
    seq,
    type: 'attempt.event',
    at,
    data: { attemptId: 'a', identifier: 'SY-1', epoch, runnerSeq: seq, kind, payload },
  };
}

const turn = (seq: number, state: string, number: number, epoch = 1) =>
  event(
    seq,
    'turn',
    { state, turnId: `t${number}`, number, status: state === 'ended' ? 'completed' : undefined },
    epoch,
  );
const command = (
  seq: number,
  state: string,
  itemId: string,
  { epoch = 1, ...extra }: { epoch?: number; [field: string]: unknown } = {},
) =>
  event(
    seq,
    'item',
    { state, itemId, item: { type: 'command', command: 'npm test', status: 'x', ...extra } },
    epoch,
  );
const announced = (seq: number, type: string, data: Record<string, unknown>): StreamEvent => ({
  seq,
  type,
  at: new Date(START_MS + seq * 1_000).toISOString(),
  data: { attemptId: 'a', identifier: 'SY-1', ...data },
});

const RUN = [
  announced(1, 'attempt.phase', { phase: 'streaming' }),
  turn(2, 'started', 1),
  command(3, 'started', 'i1'),
  command(4, 'ended', 'i1', { exitCode: 0, output: 'ok' }),
  turn(5, 'ended', 1),
  turn(6, 'started', 2),
  command(7, 'started', 'i2'),
];

const REQUEUED = {
  reason: 'runner lost (its runner was restarted); waiting for a runner to take it over',
  reasonCode: 'runner_lost',
};

const labels = (log: EventLog) =>
  log.rows.map((row) => (row.kind === 'entry' ? row.entry.label : row.kind));
const rowOf = (log: EventLog, key: string): LogRow | undefined =>
  log.rows.find((row) => row.key === key);

describe('the event log', () => {
  it('says between two turns why the first one was cut off', () => {
    const cut = [
      announced(8, 'attempt.requeued', REQUEUED),
      announced(9, 'attempt.phase', { phase: 'leased' }),
      turn(10, 'started', 3, 2),
    ];
    const ends = [{ ...turn(7.5, 'ended', 2), seq: 8 }];
    const log = appendEvents(appendEvents(emptyLog(), RUN.slice(0, 6)), [
      ...ends,
      ...cut.map((each) => ({ ...each, seq: each.seq + 1 })),
    ]);
    const after = log.rows.slice(-3).map((row) => (row.kind === 'entry' ? row.entry : row));
    expect(after).toMatchObject([
      { tone: 'warning', label: 'Requeued', text: REQUEUED.reason },
      { label: 'Phase' },
      { kind: 'turn', number: 3 },
    ]);
    expect(log.rows.at(-3)).toMatchObject({ turnKey: null });
  });

  it('groups items under the turn they happened in', () => {
    const log = appendEvents(emptyLog(), RUN);
    expect(labels(log)).toEqual(['Phase', 'turn', 'item', 'turn', 'item']);
    const [first, second] = log.rows.filter((row) => row.kind === 'item');
    expect([first?.turnKey, second?.turnKey]).toEqual(['turn:1:t1', 'turn:1:t2']);
    expect(rowOf(log, 'turn:1:t1')).toMatchObject({
      steps: 1,
      status: 'completed',
      endedAtMs: START_MS + 5_000,
    });
    expect(rowOf(log, 'turn:1:t2')).toMatchObject({ steps: 1, status: 'running', endedAtMs: null });
  });

  it('turns a started item into the ended one instead of adding a row', () => {
    const log = appendEvents(emptyLog(), RUN.slice(0, 4));
    const row = rowOf(log, 'item:1:i1') as ItemRow;
    expect(row.item).toMatchObject({ type: 'command', exitCode: 0, output: 'ok' });
    expect([row.startedAtMs, row.endedAtMs]).toEqual([START_MS + 3_000, START_MS + 4_000]);
  });

  it('takes every event once, however the pages and the stream overlap', () => {
    const whole = appendEvents(emptyLog(), RUN);
    let pieces = appendEvents(emptyLog(), RUN.slice(0, 3));
    pieces = appendEvents(pieces, RUN.slice(1, 6));
    pieces = appendEvents(pieces, [RUN[6], RUN[6], RUN[2]] as StreamEvent[]);
    expect(pieces.rows).toEqual(whole.rows);
    expect(appendEvents(pieces, RUN)).toBe(pieces);
  });

  it('replaces a changed row, tells where and leaves the others, so that only it is drawn', () => {
    const log = appendEvents(emptyLog(), RUN.slice(0, 3));
    const before = [...log.rows];
    const known = log.changes.total;
    const after = appendEvents(log, RUN.slice(3, 4));
    expect((before[2] as ItemRow).endedAtMs).toBeNull();
    expect(after.rows[1]).toBe(before[1]);
    expect(after.rows[2]).not.toBe(before[2]);
    expect(after.changes.since(known)).toEqual([2]);
  });

  it('keeps the same item of a later lease apart and closes the turn that was cut off', () => {
    const log = appendEvents(emptyLog(), [
      ...RUN,
      turn(8, 'started', 2, 2),
      command(9, 'started', 'i2', { epoch: 2 }),
    ]);
    expect(rowOf(log, 'turn:1:t2')).toMatchObject({
      status: 'interrupted',
      endedAtMs: START_MS + 8_000,
    });
    expect(log.rows.filter((row) => row.kind === 'item')).toHaveLength(3);
  });

  it('says why the attempt ended and closes what was open', () => {
    const end = announced(8, 'attempt.ended', {
      outcome: 'failed',
      failureKind: 'container_oom',
      message: 'limit of 4 GiB',
    });
    const log = appendEvents(emptyLog(), [...RUN, end]);
    const last = log.rows.at(-1);
    expect(last?.kind === 'entry' && last.entry.text).toBe(
      'failed · The sandbox ran out of memory · limit of 4 GiB',
    );
    expect(rowOf(log, 'turn:1:t2')).toMatchObject({ status: 'interrupted' });
    expect(rowOf(log, 'item:1:i2')).toMatchObject({
      item: { status: 'interrupted', exitCode: null },
      endedAtMs: START_MS + 8_000,
    });
    expect(rowOf(log, 'item:1:i1')).toMatchObject({ item: { exitCode: 0 } });
  });

  it('says of an attempt that a person stopped who did, and calls nothing of it interrupted', () => {
    const cut = event(8, 'turn', { state: 'ended', turnId: 't2', status: 'interrupted' });
    const end = announced(9, 'attempt.ended', {
      outcome: 'cancelled',
      failureKind: null,
      reasonCode: 'stopped_by_person',
      message: 'stopped by the local user',
    });
    const log = appendEvents(emptyLog(), [...RUN, cut, end]);
    const last = log.rows.at(-1);
    expect(last?.kind === 'entry' && last.entry).toMatchObject({ label: 'Stopped', by: 'local' });
    expect(rowOf(log, 'turn:1:t2')).toMatchObject({ status: 'stopped' });
    expect(rowOf(log, 'item:1:i2')).toMatchObject({ item: { status: 'stopped' } });
    const lost = announced(9, 'attempt.ended', { outcome: 'failed', failureKind: 'runner_lost' });
    const other = appendEvents(emptyLog(), [...RUN, cut, lost]);
    expect(rowOf(other, 'turn:1:t2')).toMatchObject({ status: 'interrupted' });
  });

  it('ends a command with the turn that was cut off, and with none that ended by itself', () => {
    const behind = command(6, 'started', 'behind');
    const cut = event(7, 'turn', { state: 'ended', turnId: 't2', status: 'interrupted' });
    const log = appendEvents(emptyLog(), [...RUN.slice(0, 3), turn(4, 'ended', 1)]);
    expect(rowOf(log, 'item:1:i1')).toMatchObject({ endedAtMs: null });
    const after = appendEvents(log, [turn(5, 'started', 2), behind, cut]);
    expect(rowOf(after, 'item:1:behind')).toMatchObject({ endedAtMs: START_MS + 7_000 });
    expect(rowOf(after, 'item:1:i1')).toMatchObject({ endedAtMs: null });
  });

  it('shows a phase once although runner and service both tell it', () => {
    const log = appendEvents(emptyLog(), [
      RUN[0],
      event(2, 'phase', { phase: 'streaming' }),
      event(3, 'phase', { phase: 'delivering' }),
    ] as StreamEvent[]);
    expect(log.rows).toHaveLength(2);
  });

  it('leaves out what the issue’s own events say again', () => {
    const log = appendEvents(emptyLog(), [
      announced(1, 'issue.completed', { status: 'completed' }),
      announced(2, 'request.answered', {}),
      announced(3, 'request.expired', {}),
    ]);
    expect(labels(log)).toEqual(['Expired']);
  });

  it('joins adjacent output of one source', () => {
    const log = appendEvents(emptyLog(), [
      event(1, 'log', { source: 'hook', text: 'one\n' }),
      event(2, 'log', { source: 'hook', text: 'two' }),
      event(3, 'log', { source: 'git', text: 'three' }),
    ]);
    expect(log.rows.map((row) => row.kind === 'entry' && row.entry.body)).toEqual([
      'one\ntwo',
      'three',
    ]);
  });

  it('has no row for tokens, which the attempt’s record tells', () => {
    const used = event(1, 'usage', { totals: { total: 5_300 }, own: { total: 300 } });
    expect(appendEvents(emptyLog(), [used]).rows).toEqual([]);
  });

  it('shows kinds and items it does not know, and survives malformed ones', () => {
    const log = appendEvents(emptyLog(), [
      event(1, 'weather', { wind: 3 }),
      event(2, 'item', {
        state: 'ended',
        itemId: 'x',
        item: { type: 'hologram', summary: 'a cat' },
      }),
      event(3, 'item', { state: 'ended', itemId: 'y', item: null }),
      event(4, 'snapshot', {}),
      { seq: 5, type: 'attempt.event', at: 'not a date', data: {} },
    ]);
    expect(labels(log)).toEqual(['weather', 'item', 'item', 'Snapshot', 'event']);
    expect((rowOf(log, 'item:1:x') as ItemRow).item).toEqual({
      type: 'other',
      name: 'hologram',
      summary: 'a cat',
    });
  });
});

describe('folding', () => {
  it('hides what happened in a turn and keeps its head', () => {
    const log = appendEvents(emptyLog(), RUN);
    const shown = shownOf('all', new Set(['turn:1:t1']));
    shown?.catchUp(log);
    expect(shown?.positions.map((position) => log.rows[position]?.key)).toEqual([
      'mark:1',
      'turn:1:t1',
      'turn:1:t2',
      'item:1:i2',
    ]);
    expect(shownOf('all', new Set())).toBeNull();
  });
});

describe('what an agent says', () => {
  const message = (seq: number, text: string) =>
    event(seq, 'item', { state: 'ended', itemId: `m${seq}`, item: { type: 'message', text } });

  it('stands without its status line, and not at all when it is nothing else', () => {
    const said = ['All done.\n\nSWITCHYARD_STATUS: DONE', 'SWITCHYARD_STATUS: DONE'];
    const log = appendEvents(emptyLog(), [
      turn(1, 'started', 1),
      ...said.map((text, at) => message(at + 2, text)),
    ]);
    const items = log.rows.filter((row) => row.kind === 'item');
    expect(items.map(({ item }) => item)).toEqual([{ type: 'message', text: 'All done.' }]);
  });
});

describe('a message to the agent', () => {
  const sent = (seq: number, messageId: string, text: string) =>
    announced(seq, 'attempt.message', { messageId, actor: 'ada', text });
  const taken = (seq: number, clientId: string, text: string, epoch = 1) => {
    const item = { type: 'user_message', text, clientId };
    return event(seq, 'item', { state: 'ended', itemId: `u${seq}`, item }, epoch);
  };
  const messages = (log: EventLog) =>
    log.rows.flatMap((row) =>
      row.kind === 'item' && row.item.type === 'user_message'
        ? [[row.item.text, row.item.sent?.state ?? null, row.endedAtMs === null]]
        : [],
    );

  it('that comes in the moment in which the attempt ends is not read', () => {
    const ended = announced(8, 'attempt.ended', { outcome: 'completed' });
    const log = appendEvents(emptyLog(), [...RUN, ended, sent(9, 'm1', 'Be quick')]);
    expect(messages(log)).toEqual([['Be quick', 'left', false]]);
  });

  it('stands there from when it was sent, and once, when the agent takes it', () => {
    let log = appendEvents(emptyLog(), [...RUN, sent(8, 'm1', 'Be …'), sent(9, 'm2', 'Be kind')]);
    expect(messages(log)).toEqual([
      ['Be …', 'waiting', true],
      ['Be kind', 'waiting', true],
    ]);
    log = appendEvents(log, [sent(10, 'm1', 'Be …'), taken(11, 'm1', 'Be quick')]);
    log = appendEvents(log, [taken(12, 'm1', 'Be quick', 2)]);
    expect(messages(log)).toEqual([
      ['Be quick', 'taken', false],
      ['Be kind', 'waiting', true],
    ]);
  });

  it('says that nobody read it when the attempt ends first', () => {
    const ended = announced(10, 'attempt.ended', { outcome: 'cancelled', message: '' });
    const log = appendEvents(emptyLog(), [...RUN, sent(8, 'm1', 'One'), sent(9, 'm2', 'Two')]);
    const events = [taken(10, 'm2', 'Two'), { ...ended, seq: 11 }];
    expect(messages(appendEvents(log, events))).toEqual([
      ['One', 'left', false],
      ['Two', 'taken', false],
    ]);
  });

  it('of which the service has not told stands as the engine tells it', () => {
    const log = appendEvents(emptyLog(), [...RUN, taken(8, 'm1', 'From before')]);
    expect(messages(log)).toEqual([['From before', null, false]]);
  });
});
