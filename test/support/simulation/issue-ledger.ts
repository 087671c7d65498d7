import { rowText } from './row-text.ts';
import type { DatabaseProbe } from './database-probe.ts';
import type { RunnerMessage } from '@switchyard/shared/protocol/messages';

type Finish = Extract<RunnerMessage, { type: 'finish' }>;

/** The part of the configuration that says when work starts again. */
export type Rules = {
  maxAttempts: number;
  retryBaseMs: number;
  maxBackoffMs: number;
  issueTokens: number;
  /** Agent runs until a person does something about the issue, whatever ended them. */
  unattendedRuns: number;
  /** Another choice of a chain goes on at once when an account fails. */
  chained: boolean;
  /** Clocks are right: what waits until a date is not early. */
  datesHold: boolean;
};

type Book = {
  /** Why nothing may start without a person; null when something may. */
  parked: string | null;
  /** World time before which nothing may start. */
  dueAtMs: number;
  /** Ends that use up an attempt, since a person last touched the issue. */
  counted: number;
  failures: number;
  /** World time of the first failure in a row that blamed the provider; null: none yet. */
  blamedAtMs: number | null;
  /** Later failures of that row that may be the issue's own: others had answers meanwhile. */
  maybeOwn: number;
  /** When its model answered last. */
  answeredAtMs: number;
  /** Number of the newest attempt, and whether a runner ever got it. */
  number: number;
  granted: boolean;
  touched: boolean;
  /** Its attempt may have been asked to stop: however it fails then, that is no failure. */
  stopAsked: boolean;
  /** Tokens by lease, of ended attempts. */
  leases: Map<string, number>;
  /** The same as it was last told, also by attempts that never came to an end. */
  told: Map<string, number>;
  tokensAtTouch: number;
  /** How often a person wished it to be started again. */
  reopenings: number;
  /** Its agent is done, and the work is kept where any runner finds it. */
  done: boolean;
  /** Whether a person touched it since its newest attempt began. */
  touchedNow: boolean;
  /** Attempts, by number, in which a model ever answered, and how many are new since a person touched it. */
  everPaid: Set<number>;
  paidAttempts: number;
  /** Attempts from this number on began after a person touched it last. */
  paidFrom: number;
  /** Leases: all that were ever granted, those since a person touched it, and the paid ones of these. */
  everGranted: Set<string>;
  runs: Set<string>;
  paidRuns: Set<string>;
  /** Attempts that use up no try: a person or a model provider ended them. */
  excused: number;
  /** A rule of the tracker has moved it back since its newest attempt began. */
  movedBack: boolean;
  /** Times of the starts that only such a move explains, since a person touched it. */
  trackerStartsMs: number[];
};

const PROVIDER = new Set(['auth_failed', 'usage_limited', 'provider_unreachable']);
const UNDELIVERED = new Set(['delivery_error', 'delivery_refused']);
const CONTINUATION_MS = 1_000;
/** Source: decisions, Dispatch rules. */
const MAX_TRACKER_STARTS = 3;
const DAY_MS = 86_400_000;

/** What each issue may do next, told only from what was seen on the wire and who touched it. */
export class IssueLedger {
  readonly #books = new Map<string, Book>();
  readonly #nowMs: () => number;
  readonly #rules: Rules;
  readonly #planeRate: () => number;
  readonly #fail: (invariant: string, detail: string) => void;
  #pausedAtMs: number | null = null;

  constructor(
    nowMs: () => number,
    rules: Rules,
    planeRate: () => number,
    fail: (invariant: string, detail: string) => void,
  ) {
    this.#nowMs = nowMs;
    this.#rules = rules;
    this.#planeRate = planeRate;
    this.#fail = fail;
  }

  #book(identifier: string): Book {
    const fresh: Book = {
      parked: null,
      dueAtMs: 0,
      counted: 0,
      failures: 0,
      blamedAtMs: null,
      maybeOwn: 0,
      answeredAtMs: -1,
      number: 0,
      granted: true,
      touched: false,
      stopAsked: false,
      leases: new Map(),
      told: new Map(),
      tokensAtTouch: 0,
      reopenings: 0,
      done: false,
      touchedNow: false,
      everPaid: new Set(),
      paidFrom: 0,
      paidAttempts: 0,
      everGranted: new Set(),
      runs: new Set(),
      paidRuns: new Set(),
      excused: 0,
      movedBack: false,
      trackerStartsMs: [],
    };
    const book = this.#books.get(identifier) ?? fresh;
    this.#books.set(identifier, book);
    return book;
  }

  /** A person did something to this issue: everything may begin again. */
  touch(identifier: string): void {
    const book = this.#book(identifier);
    Object.assign(book, {
      parked: null,
      dueAtMs: 0,
      counted: 0,
      failures: 0,
      blamedAtMs: null,
      maybeOwn: 0,
      granted: true,
      touched: true,
      touchedNow: true,
      done: false,
      paidAttempts: 0,
      paidFrom: book.number + 1,
      runs: new Set(),
      paidRuns: new Set(),
      excused: 0,
      trackerStartsMs: [],
    });
    for (const [lease, total] of book.told) this.used(identifier, lease, total);
    book.tokensAtTouch = tokensOf(book);
  }

  /** A tool in the tracker moved it back to work, which no person asked for. */
  movedBack(identifier: string): void {
    this.#book(identifier).movedBack = true;
  }

  /** What is at rest may start by a move in the tracker alone: so often in a day, counted afresh. */
  #startsByTracker(book: Book, what: string): void {
    const nowMs = this.#nowMs();
    const recent = book.trackerStartsMs.filter((atMs) => nowMs - atMs < DAY_MS);
    if (recent.length >= MAX_TRACKER_STARTS)
      this.#fail(`a tracker starts an issue ${MAX_TRACKER_STARTS} times in a day`, what);
    Object.assign(book, {
      parked: null,
      counted: 0,
      failures: 0,
      blamedAtMs: null,
      maybeOwn: 0,
      dueAtMs: 0,
      granted: true,
      done: false,
      paidAttempts: 0,
      excused: 0,
      trackerStartsMs: [...recent, nowMs],
    });
  }

  reopened(identifier: string): void {
    this.#book(identifier).reopenings += 1;
  }

  reopenings(identifier: string): number {
    return this.#book(identifier).reopenings;
  }

  /** An attempt ended that had used so many tokens under one of its leases. */
  used(identifier: string, lease: string, total: number): void {
    const { leases } = this.#book(identifier);
    leases.set(lease, Math.max(leases.get(lease) ?? 0, total));
  }

  /** A lease was heard to have used so many tokens: what a person's touch forgives. */
  told(identifier: string, lease: string, total: number): void {
    const book = this.#book(identifier);
    if (total > 0) book.answeredAtMs = this.#nowMs();
    const { told } = book;
    told.set(lease, Math.max(told.get(lease) ?? 0, total));
  }

  /** Something may have stopped its attempt: a waiting one gives its number up. */
  forgive(identifier: string): void {
    const book = this.#book(identifier);
    Object.assign(book, { granted: true, stopAsked: true, touchedNow: true, done: false });
    book.excused += 1;
  }

  /** What its agent has done is kept where any runner can deliver it from. */
  done(identifier: string): void {
    const book = this.#book(identifier);
    book.done = !book.touchedNow;
  }

  /** The test of a merge found what its agent has to do: it begins again, with fresh tries. */
  returned(identifier: string): void {
    Object.assign(this.#book(identifier), {
      parked: null,
      dueAtMs: 0,
      counted: 0,
      failures: 0,
      maybeOwn: 0,
      granted: true,
      done: false,
      paidAttempts: 0,
    });
  }

  agentStarts(identifier: string, what: string): void {
    if (this.#book(identifier).done)
      this.#fail('an agent that was done is not started again', `${identifier}: ${what}`);
  }

  /** A model answered the agent of an attempt under one of its leases. */
  paid(identifier: string, number: number, { lease, lost }: { lease: string; lost: number }): void {
    const book = this.#book(identifier);
    if (book.runs.has(lease)) book.paidRuns.add(lease);
    if (book.paidRuns.size > this.#rules.unattendedRuns)
      this.#fail(
        'no agent run is paid for beyond its bound',
        `${identifier}: ${book.paidRuns.size} runs since a person touched it`,
      );
    // Answers of an attempt that was ended meanwhile may come between those of the next one.
    if (number < book.paidFrom || book.everPaid.has(number)) return;
    book.everPaid.add(number);
    book.paidAttempts += 1;
    const most = this.#rules.maxAttempts + book.excused + lost;
    if (book.paidAttempts > most)
      this.#fail(
        'no agent run is paid for beyond its bound',
        `${identifier}: ${book.paidAttempts} of at most ${most}`,
      );
  }

  /** A person stopped it, and was told so. */
  aborted(identifier: string): void {
    this.#book(identifier).parked = 'it was stopped';
  }

  paused(): void {
    this.#pausedAtMs = this.#nowMs();
  }

  resumed(): void {
    this.#pausedAtMs = null;
  }

  granted(identifier: string, number: number, lease: string): void {
    const book = this.#book(identifier);
    if (!book.everGranted.has(lease)) book.runs.add(lease);
    book.everGranted.add(lease);
    if (book.number === number) book.granted = true;
  }

  /** The same attempt is offered again, under a higher epoch. */
  attemptGoesOn(identifier: string): void {
    this.#notWhilePaused(identifier);
  }

  attemptBegins(identifier: string, attemptId: string, number: number): void {
    const book = this.#book(identifier);
    const what = `${identifier} attempt ${number} (${attemptId})`;
    this.#notWhilePaused(identifier);
    const rests = book.parked !== null || book.done;
    if (rests && book.movedBack) this.#startsByTracker(book, what);
    if (book.parked !== null) this.#fail(`parked issues stay so: ${book.parked}`, what);
    const early = book.dueAtMs - this.#nowMs();
    if (this.#rules.datesHold && early > 5)
      this.#fail(
        'a retry is never started before it is due',
        `${what}: ${Math.round(early)} ms early`,
      );
    if (!book.granted && number > book.number) {
      this.#fail(
        'waiting never raises an attempt number',
        `${what}: attempt ${book.number} was never granted`,
      );
    }
    if (book.counted >= this.#rules.maxAttempts) {
      this.#fail('at most 1 + maxContinuationAttempts attempts', `${what} after ${book.counted}`);
    }
    const tokens = tokensOf(book) - book.tokensAtTouch;
    if (tokens >= this.#rules.issueTokens)
      this.#fail('a used up budget parks the issue', `${what} after ${tokens} tokens`);
    const fresh = {
      granted: false,
      dueAtMs: 0,
      stopAsked: false,
      touchedNow: false,
      movedBack: false,
    };
    Object.assign(book, { number, ...fresh });
  }

  #notWhilePaused(identifier: string): void {
    const forMs = this.#pausedAtMs === null ? 0 : this.#nowMs() - this.#pausedAtMs;
    if (forMs > 15_000)
      this.#fail(
        'nothing starts while paused',
        `${identifier}, paused for ${Math.round(forMs)} ms`,
      );
  }

  attemptEnds(
    identifier: string,
    finish: Finish,
    lastSeenAtMs: number,
    cancelReason: string | null,
  ): void {
    const book = this.#book(identifier);
    if (book.parked !== null) return;
    const { outcome, failureKind, marker } = finish;
    const waitMs = (ms: number) => lastSeenAtMs + ms / this.#planeRate();
    const settled = outcome === 'completed' && marker !== null;
    this.#noteBlame(identifier, finish);
    const byProvider = failureKind !== undefined && PROVIDER.has(failureKind);
    if (byProvider && finish.upstream !== 'codehost') book.excused += 1;
    // Stopped or not: what it counted for is not known then.
    if (book.stopAsked) book.touched = true;
    if (outcome === 'cancelled' || ((cancelReason !== null || book.stopAsked) && !settled)) {
      const reason = cancelReason ?? finish.message ?? '';
      if (reason.startsWith('stopped by ')) book.parked = 'it was stopped';
      if (/^(?:used|spent) /.test(reason)) book.parked = 'its budget is used up';
      return;
    }
    if (outcome === 'completed' && marker === 'DONE') book.parked = 'it is done';
    else if (outcome === 'completed' && marker === 'BLOCKED') book.parked = 'it is blocked';
    else if (outcome === 'completed') {
      book.counted += 1;
      book.failures = 0;
      book.dueAtMs = waitMs(CONTINUATION_MS);
    } else if (failureKind === 'budget_exceeded') {
      book.parked = 'its budget is used up';
    } else if (failureKind !== undefined && UNDELIVERED.has(failureKind)) {
      book.parked = 'its delivery waits for a person';
    } else {
      const counts = failureKind === undefined || !PROVIDER.has(failureKind);
      // Where another choice went on, the issue itself has not failed once more.
      if (counts || !this.#rules.chained) book.failures += 1;
      const backoffMs = Math.min(
        this.#rules.retryBaseMs * 2 ** (book.failures - 1),
        this.#rules.maxBackoffMs,
      );
      if (counts) book.counted += 1;
      const upstreamMs = this.#rules.chained ? 0 : CONTINUATION_MS;
      book.dueAtMs = waitMs(counts ? backoffMs : upstreamMs);
    }
    if (book.parked === null && book.counted >= this.#rules.maxAttempts)
      book.parked = 'its attempts are used up';
  }

  /** A provider that fails one issue again while it answers others may be that issue's own trouble. */
  #noteBlame(identifier: string, { outcome, failureKind }: Finish): void {
    const book = this.#book(identifier);
    if (outcome === 'completed') {
      Object.assign(book, { blamedAtMs: null, answeredAtMs: this.#nowMs() });
      return;
    }
    if (failureKind === undefined || !PROVIDER.has(failureKind)) return;
    const since = book.blamedAtMs;
    const othersAnswered = [...this.#books.values()].some(
      (other) => other !== book && since !== null && other.answeredAtMs >= since,
    );
    if (othersAnswered) book.maybeOwn += 1;
    book.blamedAtMs ??= this.#nowMs();
  }

  /**
   * A failed issue that nobody touched has really used up its attempts. `unanswered`: ends of an
   * issue that a runner reported and whose answer was lost, so that they may have been taken.
   */
  async atEnd(look: DatabaseProbe, unanswered: (identifier: string) => number): Promise<void> {
    const { rows } = await look.execute(
      `select identifier, status, reason, reason_code, (select count(*) from attempts a where a.identifier = i.identifier
       and a.failure_kind = 'runner_lost') as unseen from issues i`,
    );
    for (const row of rows) {
      const identifier = rowText(row['identifier']);
      const book = this.#book(identifier);
      const exhausted =
        row['status'] === 'failed' && rowText(row['reason_code']) !== 'template_broken';
      if (!exhausted || book.touched) continue;
      // Ends that no runner reported are not on the wire.
      const ends = book.counted + book.maybeOwn + Number(row['unseen']) + unanswered(identifier);
      if (ends < this.#rules.maxAttempts) {
        this.#fail(
          'only real ends use up attempts',
          `${JSON.stringify(row)}, ${book.counted} seen`,
        );
      }
    }
  }
}

function tokensOf({ leases }: Book): number {
  return [...leases.values()].reduce((sum, total) => sum + total, 0);
}
