import type { ControlPlaneMessage, RunnerMessage } from '@switchyard/shared/protocol/messages';
import {
  type AttemptBook,
  hasFailedCheck,
  noteCheck,
  noteUsage,
  type Offer,
  openBook,
  usedByLease,
} from './attempt-book.ts';
import { checkFinalRows } from './check-final-rows.ts';
import { checkDelivered, checkReady } from './delivery-watch.ts';
import { DeciderWatch } from './decider-watch.ts';
import { ExecutionWatch } from './execution-watch.ts';
import { IssueLedger, type Rules } from './issue-ledger.ts';
import type { BoundStatement } from '../../../control-plane/src/platform/node/database/libsql-file.ts';
import type { DatabaseProbe } from './database-probe.ts';
import { type ChainRules, ChainWatch } from './chain-watch.ts';
import type { MergeMode } from '@switchyard/shared/merge/merge-policy';
import { MergeWatch } from './merge-watch.ts';
import type { BaseCommit } from './sim-base.ts';
import { PlanWatch } from './plan-watch.ts';
import { TreeWatch } from './tree-watch.ts';
import { type LeadingPlane, LeaderWatch } from './leader-watch.ts';
import { type Holds, RowWatch } from './row-watch.ts';
import type { SimContainer } from './sim-docker.ts';
import { storedEvents } from './stored-events.ts';
import { type Fail, probeBeside, type Violation } from './violation.ts';

/** Why the test of a merge gives its issue back to the agent. */
const RETURNED: ReadonlySet<string> = new Set(['merge_conflict', 'checks_failed']);

/**
 * Watches a simulated world from outside: what the containers did, what crossed the wire, what the
 * tracker was asked, and what lies in the file at the end. Knows no function of the product.
 */
export class Checker {
  violation: Violation | null = null;
  readonly #nowMs: () => number;
  readonly #fail: Fail;
  readonly #attempts = new Map<string, AttemptBook>();
  readonly #executions: ExecutionWatch;
  readonly #rows: RowWatch;
  readonly #moves = new Map<string, number>();
  readonly #deciders: DeciderWatch;
  readonly #leaders: LeaderWatch;
  readonly #chains: ChainWatch;
  readonly ledger: IssueLedger;
  readonly plans: PlanWatch;
  readonly trees: TreeWatch;
  readonly merges: MergeWatch;
  counts = { containers: 0, acks: 0, finishes: 0, deliveries: 0, offers: 0, fences: 0, checks: 0 };

  constructor(
    nowMs: () => number,
    rules: Rules &
      ChainRules & { planned: boolean; unreadUntilMs: () => number } & {
        policy: MergeMode | null;
        base: () => readonly BaseCommit[];
      },
    planeRate: () => number,
    planes: () => readonly LeadingPlane[],
  ) {
    this.#nowMs = nowMs;
    this.#fail = (invariant, detail) => this.fail(invariant, detail);
    this.ledger = new IssueLedger(nowMs, rules, planeRate, this.#fail);
    this.#executions = new ExecutionWatch(
      nowMs,
      this.#fail,
      (attemptId) => this.#attempts.get(attemptId)?.identifier ?? attemptId,
    );
    this.plans = new PlanWatch(this.#fail, { isOn: rules.planned });
    this.trees = new TreeWatch(nowMs, this.#fail, rules.unreadUntilMs);
    this.merges = new MergeWatch(nowMs, this.#fail, rules);
    this.#chains = new ChainWatch(nowMs, this.#fail, rules);
    this.#deciders = new DeciderWatch(nowMs, this.#fail);
    this.#leaders = new LeaderWatch(nowMs, this.#fail, planes);
    this.#rows = new RowWatch(nowMs, this.#fail, (attemptId) =>
      Math.max(0, ...(this.#attempts.get(attemptId)?.grantedTo.keys() ?? [])),
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
    this.#executions.started(container);
    const book = this.#attempts.get(attemptId);
    // A host that slept while it started one under a lease that is over by now ends it at once.
    if (book !== undefined && epoch >= book.maxEpoch)
      this.ledger.agentStarts(book.identifier, name);
  }

  /** A model answered the agent of an attempt. */
  paid(lease: { attemptId: string; epoch: number }): void {
    const book = this.#attempts.get(lease.attemptId);
    if (book === undefined) return;
    const { identifier, number } = book;
    // An end whose answer was lost may have been taken, and may be one that uses up no try.
    this.ledger.paid(identifier, number, {
      lease: leaseName(lease),
      lost: this.#unanswered(identifier),
    });
  }

  containerEnded(container: SimContainer): void {
    this.#executions.ended(container);
  }

  // The wire, at the control plane's end

  heard(runnerId: string, messages: RunnerMessage[]): void {
    for (const message of messages) {
      this.merges.heard(runnerId, message);
      if (message.type === 'accept') {
        const book = this.#attempts.get(message.attemptId);
        if (book !== undefined) this.#chains.accepted(runnerId, book);
      }
      if (message.type === 'events') this.#heardEvents(message);
      if (message.type === 'finish') {
        const book = this.#attempts.get(message.attemptId);
        const { commitSha } = message.delivery ?? {};
        if (commitSha !== undefined) book?.leaseOf.set(commitSha, message.epoch);
        if (book !== undefined && !book.heardFinish.has(message.epoch)) {
          book.heardFinish.set(message.epoch, { finish: message, atMs: this.#nowMs() });
          if (book.spec.merge === undefined) this.#chains.heardFinish(book, message);
          else if (RETURNED.has(message.reasonCode ?? '')) this.ledger.returned(book.identifier);
        }
      }
    }
  }

  #heardEvents(message: Extract<RunnerMessage, { type: 'events' }>): void {
    const book = this.#attempts.get(message.attemptId);
    const said = book?.said;
    for (const item of message.items) {
      const { seq, kind, payload } = item;
      if (book !== undefined) noteUsage(book, message.epoch, item);
      const isKept = payload['trigger'] === 'delivering' && payload['commitSha'] !== null;
      if (kind === 'checkpoint' && isKept) {
        book?.keptWork.set(message.epoch, seq);
        book?.leaseOf.set(String(payload['commitSha']), message.epoch);
      }
      if (book !== undefined && kind === 'check') {
        noteCheck(book, message.epoch, item);
        this.counts.checks += 1;
      }
      if (book !== undefined && kind === 'thread')
        this.#chains.thread(book, String(payload['threadId']));
      const key = `${message.epoch}/${seq}`;
      const contents = said?.get(key) ?? new Set();
      contents.add(JSON.stringify([kind, payload]));
      said?.set(key, contents);
    }
    const usage = book?.usage.get(message.epoch);
    if (book !== undefined && usage !== undefined)
      this.ledger.told(book.identifier, leaseName(message), usedByLease(usage));
  }

  said(
    plane: string,
    look: DatabaseProbe,
    runnerId: string,
    messages: ControlPlaneMessage[],
  ): void {
    for (const message of messages) {
      this.merges.said(runnerId, message, (attemptId) => this.#attempts.get(attemptId));
      switch (message.type) {
        case 'offer':
          this.#deciders.decided(plane);
          this.#offered(message, runnerId);
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
          this.#fenced(message, runnerId, look);
          break;
        case 'welcome':
        case 'renewed':
          for (const verdict of message.verdicts) {
            if (verdict.verdict === 'keep') this.#acked({ ...verdict, upto: verdict.ackedSeq });
            if (verdict.verdict === 'stop') {
              this.#fenced(verdict, runnerId, look);
            }
          }
          break;
        default:
      }
    }
  }

  #offered(offer: Offer, runnerId: string): void {
    const { attemptId, epoch, spec } = offer;
    this.counts.offers += 1;
    const isMergeTest = spec.merge !== undefined;
    const { identifier } = spec.issue;
    const known = this.#attempts.get(attemptId);
    if (!isMergeTest) {
      this.plans.offered(offer);
      this.#chains.offered(offer, runnerId, { isFirst: known === undefined });
    }
    if (known === undefined) {
      this.#attempts.set(attemptId, openBook(offer));
      if (isMergeTest) this.ledger.attemptGoesOn(identifier);
      else this.ledger.attemptBegins(identifier, attemptId, spec.number);
      return;
    }
    if (epoch > known.maxEpoch) this.ledger.attemptGoesOn(identifier);
    if (epoch >= known.maxEpoch) known.spec = spec;
    known.maxEpoch = Math.max(known.maxEpoch, epoch);
  }

  attemptInfo(attemptId: string): { identifier: string; number: number; account: string | null } {
    const book = this.#attempts.get(attemptId);
    if (book === undefined) return { identifier: 'unknown', number: 1, account: null };
    const { identifier, number, spec } = book;
    return { identifier, number, account: spec.engine.account ?? null };
  }

  /** A secret was read for somebody. */
  keyRead(name: string, reader: string | undefined): void {
    if (reader?.startsWith('runner:') === true)
      this.#chains.keyRead(reader.slice('runner:'.length), name);
  }

  #granted({ attemptId, epoch }: { attemptId: string; epoch: number }, runnerId: string): void {
    const book = this.#attempts.get(attemptId);
    this.#chains.granted(runnerId, attemptId);
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
    if (book.spec.merge === undefined)
      this.ledger.granted(book.identifier, book.number, leaseName({ attemptId, epoch }));
  }

  #acked({ attemptId, epoch, upto }: { attemptId: string; epoch: number; upto: number }): void {
    this.counts.acks += 1;
    const book = this.#attempts.get(attemptId);
    if (book === undefined) return;
    book.acked.set(epoch, Math.max(book.acked.get(epoch) ?? 0, upto));
    const keptSeq = book.keptWork.get(epoch);
    if (keptSeq === undefined || upto < keptSeq) return;
    book.keptWork.delete(epoch);
    // Work that failed a check is not delivered: its agent goes on with it.
    const isDone = book.cancelReason === null && !hasFailedCheck(book, epoch);
    if (isDone && epoch === book.maxEpoch) this.ledger.done(book.identifier);
  }

  #finished({ attemptId, epoch }: { attemptId: string; epoch: number }, look: DatabaseProbe): void {
    const book = this.#attempts.get(attemptId);
    const heard = book?.heardFinish.get(epoch);
    if (book === undefined || heard === undefined || book.finished) return;
    book.finished = true;
    const isMergeTest = book.spec.merge !== undefined;
    if (!isMergeTest) this.#chains.finished(book, heard.finish, look);
    this.counts.finishes += 1;
    if (heard.finish.delivery !== undefined) this.counts.deliveries += 1;
    for (const [lease, usage] of book.usage) {
      const used = usedByLease(usage, book.acked.get(lease) ?? 0);
      this.ledger.used(book.identifier, leaseName({ attemptId, epoch: lease }), used);
    }
    if (!isMergeTest)
      this.ledger.attemptEnds(book.identifier, heard.finish, heard.atMs, book.cancelReason);
    if (book.lost.has(epoch)) return;
    probeBeside(this.#fail, async () => {
      const stored = await storedEvents(look, attemptId, epoch);
      if (stored.length !== heard.finish.finalSeq) {
        const detail = `${attemptId}/${epoch}: ${stored.length} of ${heard.finish.finalSeq} events are stored`;
        this.fail('finished with every event stored', detail);
      }
    });
  }

  /** A fence needs proof: the row as it is now must contradict the claim. */
  #fenced(
    { attemptId, epoch, code }: { attemptId: string; epoch: number; code: string },
    runnerId: string,
    look: DatabaseProbe,
  ): void {
    this.counts.fences += 1;
    if (code === 'STALE_SESSION') return;
    if (code === 'LEASE_LOST') this.#attempts.get(attemptId)?.lost.add(epoch);
    probeBeside(this.#fail, async () => {
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

  // Deciders

  effect(plane: string): void {
    this.#deciders.decided(plane);
  }

  /** A pull request is opened that waits for a review. */
  opensReady(look: DatabaseProbe, attemptId: string): void {
    const book = this.#attempts.get(attemptId);
    if (book !== undefined) probeBeside(this.#fail, () => checkReady(look, book, this.#fail));
  }

  /** Each attempt moves its issue to the started state once; so does a person's wish to start anew. */
  moved(issueId: string, state: string): void {
    this.trees.moved(issueId);
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

  committed(plane: LeadingPlane, statements: readonly BoundStatement[]): void {
    this.#rows.committed(plane.look, statements);
    this.#leaders.committed(plane, statements);
    this.trees.committed(plane.look, statements);
    this.merges.committed(plane.look, statements);
  }

  /** From time to time. */
  async poll(look: DatabaseProbe, slotsOf: (runnerId: string) => number): Promise<void> {
    this.#executions.look();
    this.#leaders.look();
    await this.#rows.poll(look, slotsOf);
    await this.trees.poll(look);
    await this.merges.poll(look);
  }

  /** While nothing fails any more. */
  heldSets(look: DatabaseProbe, holds: Holds): Promise<void> {
    return this.#rows.heldSets(look, holds);
  }

  /** After everything came to rest. */
  async atEnd(look: DatabaseProbe): Promise<void> {
    await checkFinalRows(look, this.#attempts.values(), this.#fail);
    await checkDelivered(look, this.#attempts.values(), this.#fail);
    await this.trees.atEnd(look);
    await this.merges.atEnd(look);
    await this.ledger.atEnd(look, (identifier) => this.#unanswered(identifier));
  }

  #unanswered(identifier: string): number {
    const books = [...this.#attempts.values()].filter((book) => book.identifier === identifier);
    return books.filter((book) => book.heardFinish.size > 0 && !book.finished).length;
  }
}

function leaseName({ attemptId, epoch }: { attemptId: string; epoch: number }): string {
  return `${attemptId}/${epoch}`;
}
