import type { RunnerMessage } from '@switchyard/shared/protocol/messages';
import type { AttemptBook, Offer } from './attempt-book.ts';
import { CHAIN, USUAL_ENGINE } from './chain.ts';
import type { DatabaseProbe } from './database-probe.ts';
import { type Fail, probeBeside } from './violation.ts';

type Finish = Extract<RunnerMessage, { type: 'finish' }>;

/** A decision that was under way while an account was paused may still be told this late. */
const UNDER_WAY_MS = 15_000;
/** Work returns to the first choice within this after its pause is over. */
const RETURN_MS = 25_000;
const CLOCK_SLACK_MS = 2_500;
const PROVIDER = new Set(['auth_failed', 'usage_limited', 'provider_unreachable']);

export type ChainRules = {
  /** Clocks are right: a reset time is a date that holds. */
  datesHold: boolean;
  maxBackoffMs: number;
  /** World time of a date of the control planes. */
  worldMsOf: (wallMs: number) => number;
  enginesOf: (runnerId: string) => readonly string[];
};

type Pause = { knownAtMs: number; untilMs: number };

/** Follows which choice works on which issue, told only from the wire and from what was committed. */
export class ChainWatch {
  readonly #nowMs: () => number;
  readonly #fail: Fail;
  readonly #rules: ChainRules;
  /** Accounts that nobody may ask before their reset, since the control plane has decided so. */
  readonly #paused = new Map<string, Pause>();
  /** Until when an account may be paused, for all that is known from outside. */
  readonly #maybePaused = new Map<string, number>();
  /** Attempts that have begun and of which no end is known, by attempt. */
  readonly #open = new Map<string, { account: string; identifier: string }>();
  readonly #threads = new Map<string, string>();
  /** Accounts of accepted offers whose grant is on its way, by runner; once for each acceptance. */
  readonly #accepting = new Map<string, { attemptId: string; account: string | undefined }[]>();

  constructor(nowMs: () => number, fail: Fail, rules: ChainRules) {
    this.#nowMs = nowMs;
    this.#fail = fail;
    this.#rules = rules;
  }

  /** `isFirst`: the attempt begins with this offer. */
  offered({ attemptId, spec }: Offer, runnerId: string, { isFirst }: { isFirst: boolean }): void {
    const { name = USUAL_ENGINE, account } = spec.engine;
    const what = `${spec.issue.identifier} attempt ${spec.number} on ${account ?? 'default'}`;
    if (!this.#rules.enginesOf(runnerId).includes(name))
      this.#fail('a runner has the engine that it is asked for', `${what}: ${name}`);
    const { resumeThreadId: threadId } = spec;
    const owner = threadId === undefined ? undefined : this.#threads.get(threadId);
    if (owner !== undefined && owner !== ownerOf(spec))
      this.#fail('a thread stays with its engine and account', `${what}: ${threadId} of ${owner}`);
    if (account === undefined) return;
    if (isFirst) {
      this.#notBeforeReset(account, what);
      this.#returnsToFirst(account, what);
    }
    // One that is offered again is given the choice that is in turn then.
    for (const [id, open] of this.#open)
      if (open.identifier === spec.issue.identifier) this.#open.delete(id);
    this.#open.set(attemptId, { account, identifier: spec.issue.identifier });
  }

  #notBeforeReset(account: string, what: string): void {
    const pause = this.#paused.get(account);
    if (pause === undefined || !this.#rules.datesHold) return;
    const nowMs = this.#nowMs();
    if (nowMs < pause.knownAtMs + UNDER_WAY_MS || nowMs > pause.untilMs - CLOCK_SLACK_MS) return;
    const earlyMs = Math.round(pause.untilMs - nowMs);
    this.#fail('a chain is walked once per reset', `${what}: ${earlyMs} ms early`);
  }

  #returnsToFirst(account: string, what: string): void {
    const first = CHAIN[0]?.name;
    if (first === undefined || account === first || !this.#rules.datesHold) return;
    const isTried = [...this.#open.values()].some((open) => open.account === first);
    const untilMs = this.#maybePaused.get(first);
    if (isTried || (untilMs !== undefined && this.#nowMs() < untilMs + RETURN_MS)) return;
    this.#fail('work returns to the first choice', what);
  }

  thread(book: AttemptBook, threadId: string): void {
    if (!this.#threads.has(threadId)) this.#threads.set(threadId, ownerOf(book.spec));
  }

  /** A runner takes an offer: the key of its account may be read for it. */
  accepted(runnerId: string, book: AttemptBook): void {
    const { attemptId, spec } = book;
    const accepting = this.#accepting.get(runnerId) ?? [];
    accepting.push({ attemptId, account: spec.engine.account });
    this.#accepting.set(runnerId, accepting);
  }

  granted(runnerId: string, attemptId: string): void {
    const accepting = this.#accepting.get(runnerId) ?? [];
    const index = accepting.findIndex((one) => one.attemptId === attemptId);
    if (index !== -1) accepting.splice(index, 1);
  }

  keyRead(runnerId: string, name: string): void {
    const accounts = (this.#accepting.get(runnerId) ?? []).map(({ account }) => account);
    const keys = accounts.map((account) => CHAIN.find((one) => one.name === account)?.key);
    if (CHAIN.some(({ key }) => key === name) && !keys.includes(name)) {
      const detail = `${runnerId} takes work on ${accounts.join(', ')} and is given ${name}`;
      this.#fail('no key of another account', detail);
    }
  }

  /** A runner tells an end: the account may be paused from now on. */
  heardFinish(book: AttemptBook, finish: Finish): void {
    const { account } = book.spec.engine;
    if (account === undefined || !blamesAccount(finish)) return;
    const resetMs = finish.resetAtMs === undefined ? 0 : this.#rules.worldMsOf(finish.resetAtMs);
    const untilMs = Math.max(resetMs, this.#nowMs() + this.#rules.maxBackoffMs);
    this.#maybePaused.set(account, Math.max(untilMs, this.#maybePaused.get(account) ?? 0));
  }

  /** The control plane has taken an end, and its rows say how. */
  finished(book: AttemptBook, finish: Finish, look: DatabaseProbe): void {
    this.#open.delete(book.attemptId);
    this.heardFinish(book, finish);
    const { account } = book.spec.engine;
    const { resetAtMs } = finish;
    if (account === undefined || resetAtMs === undefined || !blamesAccount(finish)) return;
    const pause = { knownAtMs: this.#nowMs(), untilMs: this.#rules.worldMsOf(resetAtMs) };
    probeBeside(this.#fail, async () => {
      const { rows } = await look.execute({
        sql: 'select failure_kind from attempts where attempt_id = ?',
        args: [book.attemptId],
      });
      if (rows[0]?.['failure_kind'] === 'usage_limited') this.#paused.set(account, pause);
    });
  }
}

function ownerOf({ engine }: Offer['spec']): string {
  return `${engine.name ?? USUAL_ENGINE} on ${engine.account ?? 'default'}`;
}

function blamesAccount({ failureKind, upstream }: Finish): boolean {
  return failureKind !== undefined && PROVIDER.has(failureKind) && upstream !== 'codehost';
}
