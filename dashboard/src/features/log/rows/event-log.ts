import type { StreamEvent } from '@switchyard/shared/api/work/attempt';
import { readCheckItem } from './check-item.ts';
import { type LogItem, readLogItem, type SentMessage } from './log-item.ts';
import { type LogEntry, logEntryOf } from './log-entry.ts';
import { RowChanges } from './row-changes.ts';
import { textOf, recordOf } from '../../../format/text-of.ts';

export type TurnRow = {
  kind: 'turn';
  key: string;
  turnId: string;
  number: number;
  startedAtMs: number;
  endedAtMs: number | null;
  status: string;
  message: string;
  steps: number;
};
export type ItemRow = {
  kind: 'item';
  key: string;
  turnKey: string | null;
  item: LogItem;
  startedAtMs: number;
  endedAtMs: number | null;
};
export type EntryRow = {
  kind: 'entry';
  key: string;
  turnKey: string | null;
  atMs: number;
  entry: LogEntry;
};
export type LogRow = TurnRow | ItemRow | EntryRow;

/**
 * The rows that an attempt's events produce. A grown log is a new object that shares its rows with
 * the old one: rows are appended in place. A changed row is replaced, never mutated, and `changes`
 * records where.
 */
export type EventLog = {
  rows: LogRow[];
  changes: RowChanges;
  /** `seq` of the last event; events up to it are ignored as duplicates. */
  lastSeq: number;
  /** Key of the running turn. */
  openTurn: string | null;
  /** Keys of items that have begun and not ended. */
  openItems: Set<string>;
  /** Keys of turns and items that were interrupted since the newest turn began. */
  cutOff: Set<string>;
  /** Keys of messages that the agent has not received. */
  waiting: Set<string>;
  /** The attempt is over: a message that was stored at that moment reaches no agent. */
  isOver: boolean;
  /** The current phase. Both runner and service report it, and the second report is dropped. */
  phase: string | null;
  /** Position of each row by its key. Rows never move, so entries are only added. */
  index: Map<string, number>;
};

/** Adjacent output of one source becomes one row, up to this many lines. */
const LOG_LINES_MAX = 200;

export function emptyLog(): EventLog {
  const fresh = { rows: [], changes: new RowChanges(), index: new Map<string, number>() };
  const open = { openTurn: null, openItems: new Set<string>(), cutOff: new Set<string>() };
  return { ...fresh, ...open, waiting: new Set<string>(), lastSeq: 0, isOver: false, phase: null };
}

/**
 * The log with these events appended, at a cost of their number; events already received (by `seq`)
 * are ignored. The log that was passed in must not be used any more.
 */
export function appendEvents(log: EventLog, events: readonly StreamEvent[]): EventLog {
  const fresh = events.filter((event) => event.seq > log.lastSeq).toSorted((a, b) => a.seq - b.seq);
  if (fresh.length === 0) return log;
  const next: EventLog = { ...log };
  for (const event of fresh) {
    if (event.seq <= next.lastSeq) continue;
    next.lastSeq = event.seq;
    addEvent(next, event);
  }
  return next;
}

function addEvent(log: EventLog, event: StreamEvent): void {
  const atMs = Date.parse(event.at);
  if (event.type !== 'attempt.event') return addAnnouncement(log, event, atMs);
  const kind = textOf(event.data['kind']);
  const payload = recordOf(event.data['payload']);
  const epoch = typeof event.data['epoch'] === 'number' ? String(event.data['epoch']) : '0';
  if (kind === 'turn') return addTurn(log, epoch, atMs, payload);
  if (kind === 'check') return addCheck(log, epoch, atMs, payload);
  if (kind === 'item') return addItem(log, epoch, atMs, payload);
  // The attempt's record shows its tokens, and the service announces each checkpoint in more
  // detail.
  if (kind === 'usage' || kind === 'checkpoint') return;
  addEntry(log, { seq: event.seq, atMs, kind, payload });
}

/**
 * Adds the service's own events of the attempt, except those that the runner's events already
 * cover.
 */
function addAnnouncement(log: EventLog, event: StreamEvent, atMs: number): void {
  if (event.type === 'attempt.message') return addMessage(log, event.data, atMs);
  if (event.type === 'attempt.ended') {
    endTurn(log, log.openTurn, { atMs, status: 'interrupted' });
    // The service ends open items; those that former versions left open end here.
    endItems(log, atMs, () => true);
    log.isOver = true;
    for (const key of log.waiting) endMessage(log, key, { state: 'left', atMs });
    if (event.data['outcome'] === 'cancelled') callStopped(log);
  }
  const isMilestone = event.type.startsWith('attempt.') || event.type === 'request.expired';
  const { seq, type: kind, data: payload } = event;
  if (isMilestone) addEntry(log, { seq, atMs, kind, payload });
}

/** Adds a message to the agent; the engine's confirmation later updates the same row. */
function addMessage(log: EventLog, data: Record<string, unknown>, atMs: number): void {
  const key = messageKey(data['messageId']);
  // Two deliveries of one comment may both report it.
  if (find(log, key) !== undefined) return;
  const sent = { by: textOf(data['actor']), state: 'waiting' } as const;
  const item = { type: 'user_message', text: textOf(data['text']), sent } as const;
  log.waiting.add(key);
  countStep(log);
  const ends = { startedAtMs: atMs, endedAtMs: null };
  put(log, { kind: 'item', key, turnKey: log.openTurn, item, ...ends });
  if (log.isOver) endMessage(log, key, { state: 'left', atMs });
}

/** Updates a message's state; false where no message has this key. `text`: the complete text. */
function endMessage(
  log: EventLog,
  key: string,
  { state, atMs, text }: { state: SentMessage['state']; atMs: number; text?: string },
): boolean {
  const row = find(log, key);
  if (row?.kind !== 'item' || row.item.type !== 'user_message' || row.item.sent === null)
    return false;
  const { item } = row;
  // The same message may be reported twice, as after its runner was lost.
  if (!log.waiting.delete(key)) return true;
  const sent = { ...row.item.sent, state };
  put(log, { ...row, item: { ...item, text: text ?? item.text, sent }, endedAtMs: atMs });
  return true;
}

const messageKey = (messageId: unknown) => `message:${textOf(messageId)}`;

function addTurn(
  log: EventLog,
  epoch: string,
  atMs: number,
  payload: Record<string, unknown>,
): void {
  const turnId = textOf(payload['turnId']);
  const key = `turn:${epoch}:${turnId}`;
  if (payload['state'] === 'ended') {
    const status = textOf(payload['status']) || 'completed';
    return endTurn(log, key, { atMs, status, message: textOf(payload['message']) });
  }
  // A turn without an end event (its runner was lost) ended when the next one began.
  endTurn(log, log.openTurn, { atMs, status: 'interrupted' });
  const number = Number(payload['number'] ?? 0);
  log.openTurn = key;
  log.cutOff.clear();
  put(log, {
    kind: 'turn',
    key,
    turnId,
    number,
    startedAtMs: atMs,
    endedAtMs: null,
    status: 'running',
    message: '',
    steps: 0,
  });
}

function endTurn(
  log: EventLog,
  key: string | null,
  { atMs, status, message = '' }: { atMs: number; status: string; message?: string },
): void {
  if (key === null) return;
  if (log.openTurn === key) log.openTurn = null;
  const row = find(log, key);
  if (row?.kind === 'turn' && row.endedAtMs === null) {
    put(log, { ...row, endedAtMs: atMs, status, message });
    if (status === 'interrupted') log.cutOff.add(key);
  }
  // An item that was interrupted with its turn never reports its own end.
  if (status === 'interrupted') endItems(log, atMs, ({ turnKey }) => turnKey === key);
}

/** Ends open items: nothing continues after the end of its turn or attempt. */
function endItems(log: EventLog, atMs: number, which: (row: ItemRow) => boolean): void {
  for (const key of log.openItems) {
    const row = find(log, key);
    if (row?.kind !== 'item' || !which(row)) continue;
    log.openItems.delete(key);
    log.cutOff.add(key);
    const item = 'status' in row.item ? { ...row.item, status: 'interrupted' } : row.item;
    put(log, { ...row, item, endedAtMs: atMs });
  }
}

/** Marks interrupted turns and items as stopped when the attempt was cancelled. */
function callStopped(log: EventLog): void {
  for (const key of log.cutOff) {
    const row = find(log, key);
    if (row?.kind === 'turn') put(log, { ...row, status: 'stopped' });
    if (row?.kind === 'item' && 'status' in row.item && row.item.status === 'interrupted')
      put(log, { ...row, item: { ...row.item, status: 'stopped' } });
  }
  log.cutOff.clear();
}

function addItem(
  log: EventLog,
  epoch: string,
  atMs: number,
  payload: Record<string, unknown>,
): void {
  const raw = recordOf(payload['item']);
  const item = readLogItem(raw);
  if (item.type === 'user_message') {
    const sentKey = messageKey(raw['clientId']);
    if (endMessage(log, sentKey, { state: 'taken', atMs, text: item.text })) return;
  }
  const key = `item:${epoch}:${textOf(payload['itemId'])}`;
  const known = find(log, key);
  const endedAtMs = payload['state'] === 'ended' ? atMs : null;
  if (endedAtMs === null) log.openItems.add(key);
  else log.openItems.delete(key);
  if (known?.kind === 'item') return put(log, { ...known, item, endedAtMs });
  // A message with only a status line leaves nothing to show.
  if (item.type === 'message' && item.text === '') return;
  countStep(log);
  put(log, { kind: 'item', key, turnKey: log.openTurn, item, startedAtMs: atMs, endedAtMs });
}

/** Each run of a declared check is one row, whether or not its start was reported. */
function addCheck(
  log: EventLog,
  epoch: string,
  atMs: number,
  payload: Record<string, unknown>,
): void {
  const item = readCheckItem(payload);
  const run = [item.name, textOf(payload['commitSha']), String(payload['run'])].join(':');
  const key = `check:${epoch}:${run}`;
  const known = find(log, key);
  const endedAtMs = payload['state'] === 'ended' ? atMs : null;
  if (endedAtMs === null) log.openItems.add(key);
  else log.openItems.delete(key);
  if (known?.kind === 'item') return put(log, { ...known, item, endedAtMs });
  put(log, { kind: 'item', key, turnKey: log.openTurn, item, startedAtMs: atMs, endedAtMs });
}

function countStep(log: EventLog): void {
  const turn = log.openTurn === null ? undefined : find(log, log.openTurn);
  if (turn?.kind === 'turn') put(log, { ...turn, steps: turn.steps + 1 });
}

function addEntry(
  log: EventLog,
  event: { seq: number; atMs: number; kind: string; payload: Record<string, unknown> },
): void {
  const { seq, atMs, kind, payload } = event;
  if (kind === 'phase' || kind === 'attempt.phase') {
    if (payload['phase'] === log.phase) return;
    log.phase = textOf(payload['phase']);
  }
  const entry = logEntryOf(kind, payload);
  const last = log.rows.at(-1);
  const merged = last?.kind === 'entry' ? mergeEntries(last.entry, entry) : null;
  if (last?.kind === 'entry' && merged !== null) return put(log, { ...last, entry: merged });
  put(log, { kind: 'entry', key: `mark:${seq}`, turnKey: log.openTurn, atMs, entry });
}

function mergeEntries(first: LogEntry, second: LogEntry): LogEntry | null {
  if (first.merge === null || first.merge !== second.merge) return null;
  const body = `${(first.body ?? '').trimEnd()}\n${second.body ?? ''}`;
  return body.split('\n').length > LOG_LINES_MAX ? null : { ...first, body };
}

function put(log: EventLog, row: LogRow): void {
  const position = log.index.get(row.key);
  if (position === undefined) {
    log.index.set(row.key, log.rows.length);
    log.rows.push(row);
  } else {
    log.rows[position] = row;
    log.changes.add(position);
  }
}

function find(log: EventLog, key: string): LogRow | undefined {
  const position = log.index.get(key);
  return position === undefined ? undefined : log.rows[position];
}
