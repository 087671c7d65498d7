import type { BoundStatement } from '../../../control-plane/src/platform/node/database/libsql-file.ts';
import type { DatabaseProbe } from './database-probe.ts';
import { rowText } from './row-text.ts';
import { type Fail, probeBeside } from './violation.ts';

/** Time in which a control plane reads that an issue of its tracker is open again. */
const READ_WITHIN_MS = 20_000;

const OPEN = `state not in ('Done', 'Canceled')`;

/**
 * Open issues that the issue of an attempt waits for, in the tracker's own rows. One with a pull
 * request does not wait for its sub-issues.
 */
const OPEN_RELATIVES = `select a.attempt_id, i.identifier, o.id as open_id, o.identifier as open
  from attempts a join local_issues i on i.id = a.issue_id
  join issues known on known.tracker = 'local' and known.id = i.id
  left join local_issues o on o.${OPEN} and ((o.parent_id = i.id and known.pull_request_url is null)
    or exists (select 1 from json_each(i.blocked_by) blocker where blocker.value = o.id))`;

type EndEvent = { type: string; issueId: string; identifier: string };

/** Follows issues that are split: what waits for what, and which parents their sub-issues end. */
export class TreeWatch {
  readonly #nowMs: () => number;
  readonly #fail: Fail;
  /** World time until which a control plane may not have read its tracker. */
  readonly #unreadUntilMs: () => number;
  /** Parent of each sub-issue, by their identifiers. */
  readonly #parents = new Map<string, string>();
  /** World time of the last move of an issue, by id or identifier. */
  readonly #movedAtMs = new Map<string, number>();
  readonly #attempts = new Set<string>();
  readonly #ended = new Map<string, { parts: number; atMs: number }>();

  constructor(nowMs: () => number, fail: Fail, unreadUntilMs: () => number) {
    this.#nowMs = nowMs;
    this.#fail = fail;
    this.#unreadUntilMs = unreadUntilMs;
  }

  /** A person was answered that an issue has these sub-issues now. */
  added(parent: string, parts: readonly string[]): void {
    for (const part of parts) this.#parents.set(part, parent);
  }

  /** Somebody moves an issue in the tracker, or may have; `issue` is its id or identifier. */
  moved(issue: string): void {
    this.#movedAtMs.set(issue, this.#nowMs());
  }

  /** The tracker accepted that an issue waits for itself. */
  acceptedCycle(what: string): void {
    this.#fail('no issue waits for itself', what);
  }

  committed(look: DatabaseProbe, statements: readonly BoundStatement[]): void {
    if (statements.some(({ sql }) => sql.startsWith('insert into "attempts"')))
      probeBeside(this.#fail, () => this.#attemptsBegin(look));
    for (const end of statements.flatMap(endEvents))
      probeBeside(this.#fail, () => this.#parentEnds(look, end));
  }

  async #attemptsBegin(look: DatabaseProbe): Promise<void> {
    const { rows } = await look.execute(OPEN_RELATIVES);
    const begun = rows.filter((row) => !this.#attempts.has(rowText(row['attempt_id'])));
    for (const row of begun) {
      this.#attempts.add(rowText(row['attempt_id']));
      if (row['open'] === null || this.#mayBeUnread(row['open_id'], row['open'])) continue;
      const what = `${rowText(row['identifier'])} while ${rowText(row['open'])} is open`;
      this.#fail('no work begins before what it waits for has ended', what);
    }
  }

  /** Whether the control plane may not have read yet in which state this issue is. */
  #mayBeUnread(id: unknown, identifier: unknown): boolean {
    const movedAtMs = Math.max(this.#lastMoveMs(id, identifier), this.#unreadUntilMs());
    return this.#nowMs() - movedAtMs < READ_WITHIN_MS;
  }

  #lastMoveMs(id: unknown, identifier: unknown): number {
    const moves = [id, identifier].map((name) => this.#movedAtMs.get(rowText(name)));
    return Math.max(...moves.map((atMs) => atMs ?? Number.NEGATIVE_INFINITY));
  }

  async #parentEnds(look: DatabaseProbe, { type, issueId, identifier }: EndEvent): Promise<void> {
    const { rows: parts } = await look.execute({
      sql: `select id, identifier, ${OPEN} as is_open from local_issues where parent_id = ?`,
      args: [issueId],
    });
    const open = parts.filter(
      (part) => part['is_open'] === 1 && !this.#mayBeUnread(part['id'], part['identifier']),
    );
    const names = open.map((part) => rowText(part['identifier'])).join(', ');
    if (names !== '')
      this.#fail('no issue ends before its sub-issues', `${identifier} while ${names} is open`);
    const { rows: read } = await look.execute({
      sql: `select part.value ->> '$.state' as state from issues, json_each(issues.sub_issues) part
        where issues.tracker = 'local' and issues.id = ?`,
      args: [issueId],
    });
    const states = read.map(({ state }) => rowText(state));
    if (states.includes('Done') !== (type === 'issue.completed'))
      this.#fail(
        'an issue ends as its sub-issues did',
        `${identifier}: ${type} after ${states.join(', ')}`,
      );
    const before = this.#ended.get(issueId);
    this.#ended.set(issueId, { parts: parts.length, atMs: this.#nowMs() });
    if (before === undefined || before.parts !== parts.length) return;
    const moves = parts.map((part) => this.#lastMoveMs(part['id'], part['identifier']));
    if (Math.max(...moves) < before.atMs)
      this.#fail('the same sub-issues end an issue once', `${identifier} was ended again`);
  }

  /** From time to time: the tracker keeps what people made parts, and shows no cycle. */
  async poll(look: DatabaseProbe): Promise<void> {
    if (this.#parents.size === 0) return;
    const { rows } = await look.execute(
      `select i.id, i.identifier, p.identifier as parent, i.parent_id, i.blocked_by
       from local_issues i left join local_issues p on p.id = i.parent_id`,
    );
    const waitsFor = new Map<string, string[]>();
    const waits = (id: string, others: readonly string[]) =>
      waitsFor.set(id, [...(waitsFor.get(id) ?? []), ...others]);
    for (const row of rows) {
      const [id, identifier] = [rowText(row['id']), rowText(row['identifier'])];
      const parent = this.#parents.get(identifier);
      if (parent !== undefined && parent !== row['parent'])
        this.#fail('a sub-issue stays with its issue', `${identifier} of ${parent}`);
      waits(id, JSON.parse(rowText(row['blocked_by'])) as string[]);
      if (row['parent_id'] !== null) waits(rowText(row['parent_id']), [id]);
    }
    for (const id of waitsFor.keys())
      if (reaches(waitsFor, id, id)) this.#fail('no issue waits for itself', id);
  }

  /** After everything came to rest: each sub-issue is there, and its issue shows it. */
  async atEnd(look: DatabaseProbe): Promise<void> {
    await this.poll(look);
    const { rows } = await look.execute(
      `select part.identifier, i.identifier as parent, (select count(*) from json_each(i.sub_issues) shown
         where shown.value ->> '$.id' = part.id) as shown
       from local_issues part join issues i on i.tracker = 'local' and i.id = part.parent_id`,
    );
    for (const row of rows)
      if (row['shown'] !== 1)
        this.#fail('a sub-issue stays with its issue', `${JSON.stringify(row)} in the rows`);
    const present = new Set(rows.map((row) => rowText(row['identifier'])));
    for (const [part, parent] of this.#parents)
      if (!present.has(part))
        this.#fail('a sub-issue stays with its issue', `${part} of ${parent}`);
  }
}

/** Issues that wait for their sub-issues although all of these have ended, with their states. */
export async function waitingParents(look: DatabaseProbe): Promise<unknown[]> {
  const { rows } = await look.execute(
    `select i.identifier, i.status, i.state, i.reason_code from issues i
     join local_issues l on i.tracker = 'local' and l.id = i.id and l.${OPEN}
     where i.status = 'idle' and i.reason_code = 'sub_issues_open'
       and exists (select 1 from local_issues part where part.parent_id = i.id)
       and not exists (select 1 from local_issues part where part.parent_id = i.id and part.${OPEN})`,
  );
  return rows;
}

/** Ends of issues by their sub-issues that a statement reports to subscribers. */
function endEvents({ sql, args }: BoundStatement): EndEvent[] {
  const items = args.at(-1);
  if (!sql.startsWith('insert into event_chunks') || typeof items !== 'string') return [];
  if (!items.includes('"sub_issues_')) return [];
  const events = JSON.parse(items) as { type: string; data: Record<string, unknown> }[];
  return events
    .filter(
      ({ type, data }) =>
        (type === 'issue.completed' || type === 'issue.blocked') &&
        (data['reasonCode'] === 'sub_issues_done' || data['reasonCode'] === 'sub_issues_canceled'),
    )
    .map(({ type, data }) => ({
      type,
      issueId: String(data['issueId']),
      identifier: String(data['identifier']),
    }));
}

function reaches(
  waitsFor: ReadonlyMap<string, readonly string[]>,
  from: string,
  to: string,
): boolean {
  const seen = new Set<string>();
  const next = [...(waitsFor.get(from) ?? [])];
  for (let id = next.pop(); id !== undefined; id = next.pop()) {
    if (id === to) return true;
    if (seen.has(id)) continue;
    seen.add(id);
    next.push(...(waitsFor.get(id) ?? []));
  }
  return false;
}
