import { createHmac, randomUUID } from 'node:crypto';
import type { Issue } from '@switchyard/shared/api/work/issue';
import type { ServiceClient } from '../../support/e2e/service-client.ts';
import type { Tally } from '../soak-client.ts';
import { wait } from '../wait.ts';

const CLICK_EVERY_MS = 400;
const DELIVER_EVERY_MS = 300;
const CHECK_EVERY_MS = 1_000;
const READS = ['/api/v1/state', '/api/v1/runners', '/api/v1/runtime', '/readyz'];
/** What the interface means when it cannot be done now. */
const AWAY = new Set([0, 429, 503]);

/** What people and senders were told is stored. */
export type ClickBook = {
  issues: Set<string>;
  comments: Set<string>;
  deliveries: Set<string>;
  refused: number;
};

type Given = { client: ServiceClient; tally: Tally; book: ClickBook; signal: AbortSignal };

/** Files an issue whenever fewer than so many are open: more would only make every list longer. */
export async function fileIssues(
  { client, tally, book, signal }: Given,
  limit: { maxOpen: number; ended: () => number },
): Promise<void> {
  while (!signal.aborted) {
    while (book.issues.size - limit.ended() < limit.maxOpen && !signal.aborted) {
      const made = await ask<Issue>({ client, tally }, 'POST', '/api/v1/local/issues', {
        title: `Soak ${randomUUID()}`,
        state: 'Todo',
      });
      if (made !== null) book.issues.add(made.identifier);
      else {
        book.refused += 1;
        await wait(CHECK_EVERY_MS, signal);
      }
    }
    await wait(CHECK_EVERY_MS, signal);
  }
}

/** Comments on an issue that nobody works on, and looks around. */
export async function click({ client, tally, book, signal }: Given): Promise<void> {
  let issue: Issue | null = null;
  for (let turn = 0; !signal.aborted; turn += 1) {
    issue ??= await ask<Issue>({ client, tally }, 'POST', '/api/v1/local/issues', {
      title: 'Talked about',
      state: 'Backlog',
    });
    if (issue !== null) {
      const body = `comment ${randomUUID()}`;
      const path = `/api/v1/local/issues/${issue.identifier}/comments`;
      if ((await ask({ client, tally }, 'POST', path, { body })) === null) book.refused += 1;
      else book.comments.add(body);
    }
    await ask({ client, tally }, 'GET', READS[turn % READS.length] ?? '/readyz');
    await wait(CLICK_EVERY_MS, signal);
  }
}

/** Sends deliveries of a code host, each until it is acknowledged. */
export async function deliver(
  { client, tally, book, signal }: Given,
  secret: string,
): Promise<void> {
  while (!signal.aborted) {
    const id = randomUUID();
    const body = JSON.stringify({ ref: 'refs/heads/main', commits: [] });
    const hex = createHmac('sha256', secret).update(body).digest('hex');
    const headers = {
      'content-type': 'application/json',
      'x-github-event': 'push',
      'x-github-delivery': id,
      'x-hub-signature-256': `sha256=${hex}`,
    };
    const answer = await client
      .send('/webhooks/codehost', { method: 'POST', body, headers })
      .catch(() => ({ status: 0 }));
    note(tally, 'POST /webhooks/codehost', answer.status);
    if (answer.status === 200) book.deliveries.add(id);
    else book.refused += 1;
    await wait(DELIVER_EVERY_MS, signal);
  }
}

/** The body of an answer that says it was done; null for one that may be asked again. */
async function ask<T>(
  { client, tally }: Pick<Given, 'client' | 'tally'>,
  method: string,
  path: string,
  body?: unknown,
): Promise<T | null> {
  const answer = await client.ask<T>(method, path, body).catch(() => ({ status: 0, body: null }));
  note(tally, `${method} ${path}`, answer.status);
  return answer.status >= 200 && answer.status < 300 ? answer.body : null;
}

function note(tally: Tally, what: string, status: number): void {
  tally.count(status);
  if (status >= 400 && !AWAY.has(status)) tally.problem(`${what} answered ${status}`);
}
