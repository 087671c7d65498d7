import { rowText } from './row-text.ts';
import type { QuickClient } from './quick-client.ts';
import type { ControlPlaneMessage, RunnerMessage } from '@switchyard/shared/protocol/messages';
import { IssueLedger } from './issue-ledger.ts';
import { runnerEventInsert } from './runner-event-insert.ts';
import type { SimContainer } from './sim-docker.ts';
import type { BoundStatement } from './quick-client.ts';

/** No property of the product: something in the simulation threw. */
export const SIMULATION_RUNS = 'the simulation itself runs';

export type Violation = { invariant: string; detail: string; atMs: number };

type Finish = Extract<RunnerMessage, { type: 'finish' }>;
type Offer = Extract<ControlPlaneMessage, { type: 'offer' }>;

type AttemptBook = {
  attemptId: string;
  issueId: string;
  identifier: string;
  number: number;
  maxEpoch: number;
  grantedTo: Map<number, string>;
  said: Map<string, Set<string>>;
  acked: Map<number, number>;
  /** By epoch: the thread it works on and its absolute total. */
  usage: Map<number, { threadId: string; total: number }>;
  heardFinish: Map<number, { finish: Finish; atMs: number }>;
  finished: boolean;
  cancelReason: string | null;
};

export type Rules = {
  maxAttempts: number;
  retryBaseMs: number;
  maxBackoffMs: number;
  issueTokens: number;
};

/** A container that slept with its host may look alive until its supervisor has looked at its clock. */
const AFTER_RESUME_MS = 20_000;
/** By then its runner was heard twice without it, or its lease is over. */
const UNHELD_MS = 45_000;
const FLAP_MS = 5_000;

/** Tells whether a runner's process lists a lease. */
type Holds = (runnerId: string, attemptId: string, epoch: number) => boolean;

/**
 * Watches a simulated world from outside: what the containers did, what crossed the wire, what the
 * tracker was asked, and what lies in the file at the end. Knows no function of the product.
 */
export class Checker {
  violation: Violation | null = null;
  readonly #nowMs: () => number;
  readonly #attempts = new Map<string, AttemptBook>();
  readonly #executing = new Set<SimContainer>();
  readonly #terminal = new Map<string, string>();
  /** Of each attempt's row, the last time it was looked at. */
  readonly #epochs = new Map<string, number>();
  /** Since when nobody has a lease that the rows speak of. */
  readonly #heldByNobody = new Map<string, number>();
  readonly #moves = new Map<string, number>();
  readonly #deciders: { who: string; atMs: number }[] = [];
  readonly ledger: IssueLedger;
  counts = { containers: 0, acks: 0, finishes: 0, offers: 0, fences: 0 };

  constructor(nowMs: () => number, rules: Rules, planeRate: () => number) {
    this.#nowMs = nowMs;
    this.ledger = new IssueLedger(nowMs, rules, planeRate, (invariant, detail) =>
      this.fail(invariant, detail),
    );
  }

  /** Told of a thing that must not be; the first one counts. */
  fail(invariant: string, detail: string): void {
    this.violation ??= { invariant, detail, atMs: this.#nowMs() };
  }

  // Containers

  containerStarted(container: SimContainer): void {
    this.counts.containers += 1;
    const { attemptId, epoch } = container.owner;
    const name = `${attemptId}/${epoch} on ${container.host.name}`;
    if (this.#attempts.get(attemptId)?.grantedTo.has(epoch) !== true) {
      this.fail('no container before the grant', name);
    }
    this.#executing.add(container);
    this.#oneEach();
  }

  containerEnded(container: SimContainer): void {
    this.#executing.delete(container);
  }

  /** A host that has just woken may not know yet; what it still runs a while later counts. */
  #oneEach(): void {
    const byAttempt = new Map<string, SimContainer>();
    for (const container of this.#executing) {
      if (!this.#isExecuting(container)) continue;
      const { attemptId, epoch } = container.owner;
      const other = byAttempt.get(attemptId);
      if (other !== undefined) {
        const words = `${attemptId}/${epoch} on ${container.host.name} while ${other.owner.epoch} runs on ${other.host.name}`;
        this.fail('one container executes an attempt', words);
      }
      byAttempt.set(attemptId, container);
    }
  }

  #isExecuting({ host, running }: SimContainer): boolean {
    return running && !host.suspended && this.#nowMs() - host.resumedAtMs > AFTER_RESUME_MS;
  }

  // The wire, at the control plane's end

  heard(messages: RunnerMessage[]): void {
    for (const message of messages) {
      if (message.type === 'events') this.#heardEvents(message);
      if (message.type === 'finish') {
        const book = this.#attempts.get(message.attemptId);
        if (book !== undefined && !book.heardFinish.has(message.epoch)) {
          book.heardFinish.set(message.epoch, { finish: message, atMs: this.#nowMs() });
        }
      }
    }
  }

  #heardEvents(message: Extract<RunnerMessage, { type: 'events' }>): void {
    const book = this.#attempts.get(message.attemptId);
    const said = book?.said;
    for (const { seq, kind, payload } of message.items) {
      if (book !== undefined) noteUsage(book, message.epoch, kind, payload);
      const key = `${message.epoch}/${seq}`;
      const contents = said?.get(key) ?? new Set();
      contents.add(JSON.stringify([kind, payload]));
      said?.set(key, contents);
    }
    const usage = book?.usage.get(message.epoch);
    if (book !== undefined && usage !== undefined)
      this.ledger.told(book.identifier, usage.threadId, usage.total);
  }

  said(plane: string, look: QuickClient, runnerId: string, messages: ControlPlaneMessage[]): void {
    for (const message of messages) {
      switch (message.type) {
        case 'offer':
          this.#decided(plane);
          this.#offered(message);
          break;
        case 'granted':
          this.#granted(message, runnerId);
          break;
        case 'ack':
          this.#acked(message);
          break;
        case 'finished':
          this.#finished(message, look);
          break;
        case 'cancel': {
          const book = this.#attempts.get(message.attemptId);
          if (book !== undefined) book.cancelReason = message.reason;
          break;
        }
        case 'fence':
          this.#fenced(message.attemptId, message.epoch, message.code, runnerId, look);
          break;
        case 'welcome':
        case 'renewed':
          for (const verdict of message.verdicts) {
            if (verdict.verdict === 'keep') this.#acked({ ...verdict, upto: verdict.ackedSeq });
            if (verdict.verdict === 'stop') {
              this.#fenced(verdict.attemptId, verdict.epoch, verdict.code, runnerId, look);
            }
          }
          break;
        default:
      }
    }
  }

  #offered({ attemptId, epoch, spec }: Offer): void {
    this.counts.offers += 1;
    const { identifier } = spec.issue;
    const known = this.#attempts.get(attemptId);
    if (known === undefined) {
      this.#attempts.set(attemptId, {
        attemptId,
        issueId: spec.issue.id,
        identifier,
        number: spec.number,
        maxEpoch: epoch,
        grantedTo: new Map(),
        said: new Map(),
        acked: new Map(),
        usage: new Map(),
        heardFinish: new Map(),
        finished: false,
        cancelReason: null,
      });
      this.ledger.attemptBegins(identifier, attemptId, spec.number);
      return;
    }
    if (epoch > known.maxEpoch) this.ledger.attemptGoesOn(identifier);
    known.maxEpoch = Math.max(known.maxEpoch, epoch);
  }

  attemptInfo(attemptId: string): { identifier: string; number: number } {
    const book = this.#attempts.get(attemptId);
    return book ?? { identifier: 'unknown', number: 1 };
  }

  #granted({ attemptId, epoch }: { attemptId: string; epoch: number }, runnerId: string): void {
    const book = this.#attempts.get(attemptId);
    if (book === undefined) return this.fail('no grant without an offer', `${attemptId}/${epoch}`);
    const holder = book.grantedTo.get(epoch);
    if (holder !== undefined && holder !== runnerId) {
      this.fail(
        'one live lease per attempt',
        `${attemptId}/${epoch} granted to ${holder} and ${runnerId}`,
      );
    }
    const newest = Math.max(0, ...book.grantedTo.keys());
    // An offer may come late and is worth nothing then; a grant may not.
    if (epoch < newest)
      this.fail('the epoch never falls', `${attemptId}/${epoch} granted after ${newest}`);
    book.grantedTo.set(epoch, runnerId);
    this.ledger.granted(book.identifier, book.number);
  }

  #acked({ attemptId, epoch, upto }: { attemptId: string; epoch: number; upto: number }): void {
    this.counts.acks += 1;
    const acked = this.#attempts.get(attemptId)?.acked;
    acked?.set(epoch, Math.max(acked.get(epoch) ?? 0, upto));
  }

  #finished({ attemptId, epoch }: { attemptId: string; epoch: number }, look: QuickClient): void {
    const book = this.#attempts.get(attemptId);
    const heard = book?.heardFinish.get(epoch);
    if (book === undefined || heard === undefined || book.finished) return;
    book.finished = true;
    this.counts.finishes += 1;
    const usage = book.usage.get(epoch);
    if (usage !== undefined) this.ledger.used(book.identifier, usage.threadId, usage.total);
    this.ledger.attemptEnds(
      book.identifier,
      book.attemptId,
      heard.finish,
      heard.atMs,
      book.cancelReason,
    );
    this.#later(async () => {
      const stored = await storedEvents(look, attemptId, epoch);
      if (stored.length !== heard.finish.finalSeq) {
        const detail = `${attemptId}/${epoch}: ${stored.length} of ${heard.finish.finalSeq} events are stored`;
        this.fail('finished with every event stored', detail);
      }
    });
  }

  /** A fence needs proof: the row as it is now must contradict the claim. */
  #fenced(
    attemptId: string,
    epoch: number,
    code: string,
    runnerId: string,
    look: QuickClient,
  ): void {
    this.counts.fences += 1;
    if (code === 'STALE_SESSION') return;
    this.#later(async () => {
      const { rows } = await look.execute({
        sql: 'select epoch, status, runner_id, released_at_ms from attempts where attempt_id = ?',
        args: [attemptId],
      });
      const row = rows[0];
      const holds =
        row !== undefined &&
        row['epoch'] === epoch &&
        row['runner_id'] === runnerId &&
        row['released_at_ms'] === null &&
        (row['status'] === 'running' || row['status'] === 'queued');
      if (holds)
        this.fail(
          'a fence is sent only for a proven mismatch',
          `${attemptId}/${epoch} got ${code}`,
        );
    });
  }

  #later(look: () => Promise<void>): void {
    look().catch((error: unknown) => {
      // The file is closed under a look when its instance is killed at that very moment.
      if (!/closed/i.test(String(error))) this.fail('the checker can look', String(error));
    });
  }

  // Deciders

  effect(plane: string): void {
    this.#decided(plane);
  }

  /** Leaders follow each other; two that take turns are two that decide. */
  #decided(who: string): void {
    const atMs = this.#nowMs();
    const last = this.#deciders.at(-1);
    if (last?.who === who) {
      last.atMs = atMs;
      return;
    }
    const before = this.#deciders.at(-2);
    this.#deciders.push({ who, atMs });
    if (before?.who === who && last !== undefined && atMs - before.atMs < FLAP_MS) {
      this.fail(
        'only one instance decides at a time',
        `${who}, ${last.who} and ${who} again within ${Math.round(atMs - before.atMs)} ms`,
      );
    }
  }

  /** Each attempt moves its issue to the started state once; so does a person's wish to start anew. */
  moved(issueId: string, state: string): void {
    const attempts = [...this.#attempts.values()].filter((book) => book.issueId === issueId);
    const identifier = attempts[0]?.identifier;
    if (state !== 'In Progress' || identifier === undefined) return;
    const moves = (this.#moves.get(issueId) ?? 0) + 1;
    this.#moves.set(issueId, moves);
    const most = attempts.length + this.ledger.reopenings(identifier);
    if (moves > most)
      this.fail(
        'an effect is visible once',
        `${identifier} was moved to ${state} ${moves} times in ${most} starts`,
      );
  }

  // Rows

  /** A frame of events was committed: its epoch must be the attempt's, and the attempt running. */
  committed(look: QuickClient, statements: readonly BoundStatement[]): void {
    for (const statement of statements) {
      const stored = runnerEventInsert(statement);
      if (stored === null) continue;
      const { attemptId, epoch } = stored;
      this.#later(async () => {
        const { rows } = await look.execute({
          sql: 'select epoch, status from attempts where attempt_id = ?',
          args: [attemptId],
        });
        const row = rows[0];
        if (row?.['epoch'] !== epoch || row?.['status'] !== 'running') {
          this.fail(
            'no event of an old epoch is stored',
            `${attemptId}/${epoch} while ${JSON.stringify(row)}`,
          );
        }
      });
    }
  }

  /** From time to time: slots are kept, and what is over stays as it ended. */
  async poll(look: QuickClient, slotsOf: (runnerId: string) => number): Promise<void> {
    this.#oneEach();
    const held = await look.execute(
      `select runner_id, count(*) as held from attempts where runner_id is not null
       and status in ('queued', 'running') and released_at_ms is null group by runner_id`,
    );
    for (const row of held.rows) {
      const runnerId = rowText(row['runner_id']);
      if (Number(row['held']) > slotsOf(runnerId))
        this.fail('slots are kept', `${runnerId} has ${rowText(row['held'])}`);
    }
    await this.#epochsRise(look);
    const ended = await look.execute(
      `select attempt_id, status, outcome, failure_kind, epoch, last_seq, digest, ended_at_ms from attempts
       where status not in ('queued', 'running')`,
    );
    for (const row of ended.rows) {
      const id = rowText(row['attempt_id']);
      const now = JSON.stringify(row);
      const before = this.#terminal.get(id);
      if (before !== undefined && before !== now)
        this.fail('a terminal result is immutable', `${before} became ${now}`);
      this.#terminal.set(id, now);
    }
    for (const id of this.#terminal.keys()) {
      if (!ended.rows.some((row) => row['attempt_id'] === id))
        this.fail('a terminal result is immutable', `${id} lives again`);
    }
  }

  /** In the rows too, and never below what was granted on the wire. */
  async #epochsRise(look: QuickClient): Promise<void> {
    const { rows } = await look.execute('select attempt_id, epoch from attempts');
    for (const row of rows) {
      const id = rowText(row['attempt_id']);
      const epoch = Number(row['epoch']);
      const granted = Math.max(0, ...(this.#attempts.get(id)?.grantedTo.keys() ?? []));
      const before = Math.max(granted, this.#epochs.get(id) ?? 0);
      if (epoch < before) this.fail('the epoch never falls', `${id}: ${before}, then ${epoch}`);
      this.#epochs.set(id, epoch);
    }
  }

  /** While nothing fails any more: an attempt that its runner does not have is soon moved. */
  async heldSets(look: QuickClient, holds: Holds): Promise<void> {
    const { rows } = await look.execute(
      `select attempt_id, epoch, runner_id from attempts where status = 'running' and released_at_ms is null`,
    );
    const unheld = rows.filter(
      (row) => !holds(rowText(row['runner_id']), rowText(row['attempt_id']), Number(row['epoch'])),
    );
    const names = new Set(
      unheld.map((row) => `${rowText(row['attempt_id'])}/${Number(row['epoch'])}`),
    );
    for (const name of this.#heldByNobody.keys())
      if (!names.has(name)) this.#heldByNobody.delete(name);
    for (const name of names) {
      const sinceMs = this.#heldByNobody.get(name) ?? this.#nowMs();
      this.#heldByNobody.set(name, sinceMs);
      if (this.#nowMs() - sinceMs > UNHELD_MS)
        this.fail('an attempt that nobody holds is moved', `${name} since ${sinceMs} ms`);
    }
  }

  /** After everything came to rest. */
  async atEnd(look: QuickClient): Promise<void> {
    for (const book of this.#attempts.values()) {
      for (let epoch = 1; epoch <= book.maxEpoch; epoch += 1)
        await this.#checkStored(look, book, epoch);
    }
    await this.#visibleOnce(look);
    await this.#askedForOnce(look);
    await this.ledger.atEnd(look, (identifier) => this.#unanswered(identifier));
  }

  #unanswered(identifier: string): number {
    const books = [...this.#attempts.values()].filter((book) => book.identifier === identifier);
    return books.filter((book) => book.heardFinish.size > 0 && !book.finished).length;
  }

  async #checkStored(look: QuickClient, book: AttemptBook, epoch: number): Promise<void> {
    const name = `${book.attemptId}/${epoch}`;
    const stored = await storedEvents(look, book.attemptId, epoch);
    const inOrder = stored.every((event, index) => event.seq === index + 1);
    if (!inOrder)
      this.fail(
        'stored events are 1..last, each once',
        `${name}: ${stored.map(({ seq }) => seq).join(' ')}`,
      );
    const acked = book.acked.get(epoch) ?? 0;
    if (stored.length < acked) {
      this.fail(
        'an acknowledged event is stored for ever',
        `${name}: acknowledged ${acked}, stored ${stored.length}`,
      );
    }
    for (const { seq, content } of stored) {
      const said = book.said.get(`${epoch}/${seq}`);
      if (said?.has(content) !== true)
        this.fail('what is stored is what was said', `${name} event ${seq}`);
    }
  }

  /** Whoever asks again finds the row: an issue has one comment, an attempt each of its effects. */
  async #askedForOnce(look: QuickClient): Promise<void> {
    const { rows } = await look.execute(
      `select kind, issue_id, payload, count(*) as n from outbox
       where (kind = 'tracker.comment' or attempt_id is not null) and key not like 'reopen:%'
       group by kind, tracker, issue_id, payload, case kind when 'tracker.comment' then '' else attempt_id end
       having n > 1`,
    );
    if (rows.length > 0) this.fail('an effect is asked for once', JSON.stringify(rows));
  }

  /** Each effect's visible result is there once, whatever was repeated. */
  async #visibleOnce(look: QuickClient): Promise<void> {
    const comments = await look.execute(
      `select issue_id, count(*) as n from local_comments where service_key is not null group by issue_id having n > 1`,
    );
    if (comments.rows.length > 0)
      this.fail('an effect is visible once', `comments: ${JSON.stringify(comments.rows)}`);
    const requests = await look.execute(
      `select branch, count(*) as n from pull_requests group by repository_url, branch having n > 1`,
    );
    if (requests.rows.length > 0)
      this.fail('an effect is visible once', `pull requests: ${JSON.stringify(requests.rows)}`);
  }
}

function noteUsage(
  book: AttemptBook,
  epoch: number,
  kind: string,
  payload: Record<string, unknown>,
): void {
  const known = book.usage.get(epoch) ?? { threadId: '', total: 0 };
  if (kind === 'thread') book.usage.set(epoch, { ...known, threadId: String(payload['threadId']) });
  if (kind !== 'usage') return;
  const { total } = payload['totals'] as { total: number };
  book.usage.set(epoch, { ...known, total: Math.max(known.total, total) });
}

/** Runner events in the order of their commits. */
async function storedEvents(
  look: QuickClient,
  attemptId: string,
  epoch: number,
): Promise<{ seq: number; content: string }[]> {
  const { rows } = await look.execute({
    sql: `select items from event_chunks where attempt_id = ? and epoch = ? and from_runner_seq is not null
          order by first_seq`,
    args: [attemptId, epoch],
  });
  type Item = { type: string; data: { runnerSeq: number; kind: string; payload: unknown } };
  return rows.flatMap((row) =>
    (JSON.parse(rowText(row['items'])) as Item[])
      .filter(({ type }) => type === 'attempt.event')
      .map(({ data }) => ({
        seq: data.runnerSeq,
        content: JSON.stringify([data.kind, data.payload]),
      })),
  );
}
