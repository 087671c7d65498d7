import type { PullRequest } from '@switchyard/shared/api/work/pull-request';
import type { Bench } from '../e2e/start-bench.ts';
import { until } from '../e2e/until.ts';
import { FURTHER_ATTEMPTS, type Kind } from './kind.ts';

const TOLD_TIMEOUT_MS = 30_000;
/** What no comment may hold: controls but line breaks and tabs, and marks of direction. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

export type Judged = { wrong: string[]; attempts: number; pullRequest: boolean };

/** Holds what became of an issue against what its kind has to become; says in words what is wrong. */
export async function judgeEnd(bench: Bench, kind: Kind, identifier: string): Promise<Judged> {
  const { client } = bench;
  const { expected } = kind;
  const wrong: string[] = [];
  const issue = await client.issue(identifier);
  const reason = issue.reason ?? '';
  if (issue.status !== expected.status) wrong.push(`is ${issue.status}: ${reason}`);
  if (reason === '') wrong.push('ended without a reason');
  if (expected.reason !== undefined && !expected.reason.test(reason))
    wrong.push(`the reason is: ${reason}`);
  const most = expected.attempts ?? 1 + FURTHER_ATTEMPTS;
  // What a provider refuses uses up no try.
  if (!kind.name.startsWith('provider-') && issue.attempts.length > most)
    wrong.push(`${issue.attempts.length} agent runs were paid for`);
  const pullRequest = await client.pullRequestOf(identifier).catch(() => null);
  if (expected.files === null) {
    if (pullRequest !== null) wrong.push('has a pull request');
  } else if (pullRequest === null) wrong.push('has no pull request');
  else wrong.push(...(await wrongFiles(bench, pullRequest, expected)));
  wrong.push(...(await wrongComment(bench, identifier, expected)));
  return { wrong, attempts: issue.attempts.length, pullRequest: pullRequest !== null };
}

async function wrongFiles(
  { repository }: Bench,
  { branch }: PullRequest,
  { files, absent = [] }: Kind['expected'],
): Promise<string[]> {
  const read = (path: string) => repository.git('show', `${branch}:${path}`).catch(() => null);
  const wanted = Object.entries(files ?? {}).map(async ([path, content]) => {
    const text = await read(path);
    if (text === null) return [`the branch has no ${path}`];
    return content.test(text)
      ? []
      : [`${path} on the branch is ${JSON.stringify(text.slice(0, 200))}`];
  });
  const unwanted = absent.map(async (path) =>
    (await read(path)) === null ? [] : [`the branch has ${path}`],
  );
  return (await Promise.all([...wanted, ...unwanted])).flat();
}

async function wrongComment(
  { client }: Bench,
  identifier: string,
  { comment, status }: Kind['expected'],
): Promise<string[]> {
  const read = async () => (await client.comments(identifier)).map(({ body }) => body).join('\n');
  const final = new RegExp(status === 'completed' ? 'delivered|no changes were needed' : status);
  const text = await until(read, (body) => final.test(body), {
    what: 'the comment tells the end',
    timeoutMs: TOLD_TIMEOUT_MS,
  }).catch(read);
  const wrong = final.test(text) ? [] : [`the comment says: ${text.slice(0, 300)}`];
  if (UNSEEN.test(text)) wrong.push('the comment has control characters');
  if (comment !== undefined && !comment.test(text))
    wrong.push(`the comment lacks ${comment}: ${text.slice(0, 500)}`);
  return wrong;
}
