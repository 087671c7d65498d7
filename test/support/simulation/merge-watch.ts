import type { ControlPlaneMessage, RunnerMessage } from '@switchyard/shared/protocol/messages';
import type { MergeMode } from '@switchyard/shared/merge/merge-policy';
import type { BoundStatement } from '../../../control-plane/src/platform/node/database/libsql-file.ts';
import type { AttemptBook } from './attempt-book.ts';
import type { DatabaseProbe } from './database-probe.ts';
import { rowText } from './row-text.ts';
import { type BaseCommit, nameOf } from './sim-base.ts';
import { type Fail, probeBeside } from './violation.ts';

/** A test that no runner does is noticed and ended within this. */
const UNDONE_MS = 45_000;

/** What an issue has used of its tries and its budget. */
type Counts = { merging: string | null; runs: number; unattended: number };

/** Follows the merge queue: what reaches the base branch, and by which right. */
export class MergeWatch {
  readonly #nowMs: () => number;
  readonly #fail: Fail;
  /** Null: nobody in this world has a merge policy. */
  #policy: MergeMode | null;
  #policyChanged = false;
  readonly #baseOf: () => readonly BaseCommit[];
  /** Permissions that were asked for, by runner and call, and those that were given. */
  readonly #asked = new Map<string, string>();
  readonly #permitted = new Set<string>();
  readonly #brought = new Set<string>();
  /** Branches that a person does not want merged at a commit, with the reason. */
  readonly #unwanted = new Map<string, { commitSha: string | null; why: string }>();
  readonly #wishes = new Map<string, number>();
  readonly #mergedByPerson = new Set<string>();
  readonly #counts = new Map<string, Counts>();
  readonly #undoneSinceMs = new Map<string, number>();

  constructor(
    nowMs: () => number,
    fail: Fail,
    world: { policy: MergeMode | null; base: () => readonly BaseCommit[] },
  ) {
    this.#nowMs = nowMs;
    this.#fail = fail;
    this.#policy = world.policy;
    this.#baseOf = world.base;
  }

  // People

  /** A person asks for a merge, or may have. */
  wanted(branch: string): void {
    this.#wishes.set(branch, this.wishOf(branch) + 1);
    this.#unwanted.delete(branch);
  }

  wishOf(branch: string): number {
    return this.#wishes.get(branch) ?? 0;
  }

  /** A person was answered that a branch is not merged as it is. A later wish to merge it counts. */
  unwanted(branch: string, given: { wish: number; commitSha: string | null; why: string }): void {
    if (given.wish === this.wishOf(branch)) this.#unwanted.set(branch, given);
  }

  mergedByPerson(branch: string): void {
    this.#mergedByPerson.add(branch);
  }

  /** Some policy is set or was; what people took out of the queue may come back by it. */
  policyChanges(mode?: MergeMode): void {
    this.#policyChanged = true;
    this.#unwanted.clear();
    if (mode !== undefined) this.#policy = mode;
  }

  // The wire

  heard(runnerId: string, message: RunnerMessage): void {
    if (message.type !== 'call' || message.method !== 'push.permit') return;
    const { callId, attemptId, epoch, params } = message;
    const asked = `${attemptId ?? ''}/${epoch ?? 0}/${rowText(params['commitSha'])}`;
    this.#asked.set(`${runnerId} ${callId}`, asked);
  }

  /** A runner is answered; `bookOf` finds the attempt that it asked about. */
  said(
    runnerId: string,
    message: ControlPlaneMessage,
    bookOf: (attemptId: string) => AttemptBook | undefined,
  ): void {
    if (message.type !== 'result' || !message.ok) return;
    const asked = this.#asked.get(`${runnerId} ${message.callId}`);
    const isAllowed = (message.value as { allowed?: boolean } | undefined)?.allowed === true;
    if (asked === undefined || !isAllowed) return;
    const [attemptId = '', epoch = ''] = asked.split('/');
    const book = bookOf(attemptId);
    const merge = book?.spec.merge;
    if (book === undefined || merge === undefined) return;
    this.#permitted.add(asked);
    const newest = Math.max(0, ...book.grantedTo.keys());
    if (Number(epoch) < newest)
      this.#fail('a merge is permitted under the newest lease', `${asked} after ${newest}`);
    const no = this.#unwanted.get(merge.branch);
    if (no !== undefined && (no.commitSha === null || no.commitSha === merge.expectedCommit))
      this.#fail('no merge is permitted that a person does not want', `${merge.branch}: ${no.why}`);
  }

  // The base branch

  moved({ sha, brought, by }: BaseCommit, look: DatabaseProbe | null): void {
    if (brought === null) return;
    const { branch, commitSha } = brought;
    const name = nameOf(brought);
    if (this.#brought.has(name)) this.#fail('nothing is merged twice', `${name} by ${sha}`);
    this.#brought.add(name);
    if (by.kind !== 'test') return;
    const test = `${by.attemptId}/${by.epoch}/${sha}`;
    if (!this.#permitted.has(test)) this.#fail('the base gets only what was permitted', test);
    if (look === null || this.#policy !== 'ask' || this.#policyChanged) return;
    probeBeside(this.#fail, async () => {
      const { rows } = await look.execute({
        sql: `select 1 from audit a join pull_requests p on p.id = a.details ->> '$.id'
          where a.operation = 'pull_request.queue' and p.branch = ? and a.details ->> '$.commitSha' = ?`,
        args: [branch, commitSha],
      });
      if (rows.length === 0)
        this.#fail('nothing is merged that no person asked for', `${branch} at ${commitSha}`);
    });
  }

  // Rows

  committed(look: DatabaseProbe, statements: readonly BoundStatement[]): void {
    if (this.#policy === null) return;
    if (statements.some(({ sql }) => sql.includes('"merge_queue"')))
      probeBeside(this.#fail, () => this.#oneTestEach(look));
    if (statements.some(({ sql }) => sql.startsWith('update "issues"')))
      probeBeside(this.#fail, () => this.#countsStay(look));
  }

  async #oneTestEach(look: DatabaseProbe): Promise<void> {
    const { rows } = await look.execute(
      `select q.base, count(*) as n from merge_queue q where q.state = 'testing' group by q.repository_url, q.base having n > 1`,
    );
    if (rows.length > 0) this.#fail('one merge is tested at a time', JSON.stringify(rows));
  }

  /** While its merge is tested, an issue uses up no try and no budget. */
  async #countsStay(look: DatabaseProbe): Promise<void> {
    const { rows } = await look.execute(
      'select id, identifier, merging, run_count, unattended_runs from issues',
    );
    for (const row of rows) {
      const id = rowText(row['id']);
      const merging = row['merging'] === null ? null : rowText(row['merging']);
      const [runs, unattended] = [Number(row['run_count']), Number(row['unattended_runs'])];
      const before = this.#counts.get(id);
      this.#counts.set(id, { merging, runs, unattended });
      if (before === undefined || (before.merging ?? merging) === null) continue;
      if (runs > before.runs || unattended > before.unattended)
        this.#fail('the test of a merge uses up nothing', JSON.stringify({ before, row }));
    }
  }

  /** From time to time: no issue waits for a test that cannot begin, and so keeps others waiting. */
  async poll(look: DatabaseProbe): Promise<void> {
    if (this.#policy === null) return;
    const { rows } = await look.execute(
      `select id, identifier, reason from issues where merging is not null and status not in ('queued', 'running')`,
    );
    const undone = new Set(rows.map((row) => rowText(row['id'])));
    for (const id of this.#undoneSinceMs.keys())
      if (!undone.has(id)) this.#undoneSinceMs.delete(id);
    for (const row of rows) {
      const id = rowText(row['id']);
      const sinceMs = this.#undoneSinceMs.get(id) ?? this.#nowMs();
      this.#undoneSinceMs.set(id, sinceMs);
      if (this.#nowMs() - sinceMs > UNDONE_MS)
        this.#fail('no issue waits for a test that nobody does', JSON.stringify(row));
    }
  }

  /** After everything came to rest: the rows say of each merge what the repository has. */
  async atEnd(look: DatabaseProbe): Promise<void> {
    if (this.#policy === null) return;
    const { rows } = await look.execute(
      'select branch, status, merge_commit_sha from pull_requests',
    );
    const base = this.#baseOf();
    for (const row of rows.filter(({ status }) => status === 'merged')) {
      const isThere = base.some(({ brought }) => brought?.branch === row['branch']);
      if (!isThere || !base.some(({ sha }) => sha === row['merge_commit_sha']))
        this.#fail('what is recorded as merged is merged', JSON.stringify(row));
    }
    const merged = new Set(
      rows.flatMap((row) => (row['status'] === 'merged' ? row['branch'] : [])),
    );
    for (const commit of base) {
      const { brought, by } = commit;
      if (brought === null || merged.has(brought.branch)) continue;
      if (await this.#isExcused(look, brought.branch, by)) continue;
      this.#fail('what is merged is recorded as merged', JSON.stringify(commit));
    }
    const { rows: paid } = await look.execute(
      `select attempt_id, model, tokens from attempts
       where kind = 'check' and (model is not null or tokens ->> '$.total' > 0)`,
    );
    if (paid.length > 0) this.#fail('the test of a merge asks no model', JSON.stringify(paid));
  }

  /** Whether somebody stopped the merge between its permission and its push, or lost the answer. */
  async #isExcused(look: DatabaseProbe, branch: string, by: BaseCommit['by']): Promise<boolean> {
    if (by.kind === 'person') return !this.#mergedByPerson.has(branch);
    if (by.kind === 'foreign' || this.#policyChanged) return true;
    const { rows } = await look.execute({
      sql: `select 1 from attempts where attempt_id = ?
        and (cancel_requested_at_ms is not null or outcome = 'cancelled')`,
      args: [by.attemptId],
    });
    return rows.length > 0;
  }
}

/** Tests of merges, and entries of the merge queue, for which something is still to be done. */
export async function unrestedMerges(look: DatabaseProbe): Promise<unknown[]> {
  const { rows } = await look.execute(
    `select i.identifier, i.status, i.merging, q.state, q.reason from issues i
     left join merge_queue q on q.tracker = i.tracker and q.issue_id = i.id
     where i.merging is not null or q.state = 'testing' or (q.state = 'waiting'
       and i.status = 'completed' and i.state not in ('Done', 'Canceled')
       and not exists (select 1 from local_issues l, json_each(l.blocked_by) b
         join local_issues o on o.id = b.value
         where l.id = i.id and o.state not in ('Done', 'Canceled')))`,
  );
  return rows;
}
