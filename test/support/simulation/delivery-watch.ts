import type { AttemptBook } from './attempt-book.ts';
import type { DatabaseProbe } from './database-probe.ts';
import { isFailing } from './is-failing.ts';
import { rowText } from './row-text.ts';
import { storedEvents } from './stored-events.ts';
import type { Fail } from './violation.ts';

/** A pull request is opened as ready for an attempt: its checks did not fail. */
export async function checkReady(
  look: DatabaseProbe,
  book: AttemptBook,
  fail: Fail,
): Promise<void> {
  const { rows } = await look.execute({
    sql: 'select commit_sha from attempts where attempt_id = ?',
    args: [book.attemptId],
  });
  await checkCommit(look, book, rows[0]?.['commit_sha'], fail);
}

/** The same of all work that is marked as delivered. */
export async function checkDelivered(
  look: DatabaseProbe,
  books: Iterable<AttemptBook>,
  fail: Fail,
): Promise<void> {
  const { rows } = await look.execute(
    `select attempt_id, commit_sha from attempts where outcome = 'completed' and marker = 'DONE'`,
  );
  const commits = new Map(rows.map((row) => [rowText(row['attempt_id']), row['commit_sha']]));
  for (const book of books) await checkCommit(look, book, commits.get(book.attemptId), fail);
}

async function checkCommit(
  look: DatabaseProbe,
  { attemptId, leaseOf }: AttemptBook,
  commitSha: unknown,
  fail: Fail,
): Promise<void> {
  const epoch = typeof commitSha === 'string' ? leaseOf.get(commitSha) : undefined;
  if (epoch === undefined) return;
  const failing = new Map<string, boolean>();
  for (const { content } of await storedEvents(look, attemptId, epoch)) {
    const [kind, payload] = JSON.parse(content) as [string, Record<string, unknown>];
    if (kind === 'check') failing.set(String(payload['name']), isFailing(payload));
  }
  const names = [...failing].filter(([, fails]) => fails).map(([name]) => name);
  if (names.length > 0)
    fail('no work is delivered whose check failed', `${attemptId}/${epoch}: ${names.join(', ')}`);
}
