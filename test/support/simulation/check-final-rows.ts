import type { AttemptBook } from './attempt-book.ts';
import type { DatabaseProbe } from './database-probe.ts';
import { storedEvents } from './stored-events.ts';
import type { Fail } from './violation.ts';

/** After everything came to rest: what was said is stored, and each effect is there once. */
export async function checkFinalRows(
  look: DatabaseProbe,
  books: Iterable<AttemptBook>,
  fail: Fail,
): Promise<void> {
  for (const book of books) {
    for (let epoch = 1; epoch <= book.maxEpoch; epoch += 1)
      await checkStored(look, book, epoch, fail);
  }
  await checkVisibleOnce(look, fail);
  await checkAskedForOnce(look, fail);
  await checkBranches(look, fail);
}

async function checkStored(
  look: DatabaseProbe,
  book: AttemptBook,
  epoch: number,
  fail: Fail,
): Promise<void> {
  const name = `${book.attemptId}/${epoch}`;
  const stored = await storedEvents(look, book.attemptId, epoch);
  const inOrder = stored.every((event, index) => event.seq === index + 1);
  if (!inOrder)
    fail(
      'stored events are 1..last, each once',
      `${name}: ${stored.map(({ seq }) => seq).join(' ')}`,
    );
  const acked = book.acked.get(epoch) ?? 0;
  if (stored.length < acked) {
    fail(
      'an acknowledged event is stored for ever',
      `${name}: acknowledged ${acked}, stored ${stored.length}`,
    );
  }
  for (const { seq, content } of stored) {
    const said = book.said.get(`${epoch}/${seq}`);
    if (said?.has(content) !== true)
      fail('what is stored is what was said', `${name} event ${seq}`);
  }
}

/** Whoever asks again finds the row: an issue has one comment, an attempt each of its effects. */
async function checkAskedForOnce(look: DatabaseProbe, fail: Fail): Promise<void> {
  const { rows } = await look.execute(
    `select kind, issue_id, payload, count(*) as n from jobs
     where (kind = 'tracker.comment' or attempt_id is not null) and key not like 'reopen:%' and key not like 'feedback:%'
     group by kind, tracker, issue_id, payload, case kind when 'tracker.comment' then '' else attempt_id end
     having n > 1`,
  );
  if (rows.length > 0) fail('an effect is asked for once', JSON.stringify(rows));
}

/** Each effect's visible result is there once: the status of an issue, and each of its plans. */
async function checkVisibleOnce(look: DatabaseProbe, fail: Fail): Promise<void> {
  const comments = await look.execute(
    `select c.issue_id, count(*) as n from local_comments c where c.service_key is not null
     group by c.issue_id having n > 1 + (select count(*) from requests r
       join attempts a on a.attempt_id = r.attempt_id where a.issue_id = c.issue_id and r.plan is not null)`,
  );
  if (comments.rows.length > 0)
    fail('an effect is visible once', `comments: ${JSON.stringify(comments.rows)}`);
  const requests = await look.execute(
    `select branch, count(*) as n from pull_requests where status = 'open'
     group by repository_url, branch having n > 1`,
  );
  if (requests.rows.length > 0)
    fail('an effect is visible once', `pull requests: ${JSON.stringify(requests.rows)}`);
}

/** No attempt of one issue has the branch of another, whatever the case. */
async function checkBranches(look: DatabaseProbe, fail: Fail): Promise<void> {
  const { rows } = await look.execute(
    `select lower(branch) as branch, group_concat(distinct identifier) as issues from attempts
     where branch is not null group by repository_url, lower(branch)
     having count(distinct tracker || ' ' || issue_id) > 1`,
  );
  if (rows.length > 0) fail('a branch belongs to one issue', JSON.stringify(rows));
}
