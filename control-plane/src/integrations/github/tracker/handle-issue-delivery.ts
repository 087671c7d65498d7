import { z } from 'zod';
import type { Speaker } from '../api/github-people.ts';
import type { DeliveryResult, Logger, StoredDelivery } from '../../../ports/ports.ts';
import type { whyIgnored } from './comments/why-ignored.ts';

const Body = z.object({
  repository: z.object({ full_name: z.string().max(200) }),
  issue: z.object({ number: z.int().min(1), pull_request: z.unknown().optional() }),
  comment: z
    .object({
      id: z.int(),
      body: z.string().nullable(),
      user: z.object({ login: z.string(), type: z.string().optional() }).nullable(),
      author_association: z.string().optional(),
      created_at: z.iso.datetime().optional(),
    })
    .optional(),
});

type HandlerDeps = {
  /** Reads these issues from GitHub and stores their current state. */
  sync: (issueIds: readonly string[]) => Promise<unknown>;
  hear: (comment: {
    issueId: string;
    commentId: string;
    author: string;
    body: string;
    writtenAtMs: number | null;
  }) => Promise<void>;
  /** Why an author's comments in a repository do not count; null when they do. */
  whyIgnored: (fullName: string, speaker: Speaker) => ReturnType<typeof whyIgnored>;
  logger: Logger;
};

/** Handles GitHub's webhooks about issues; null for any other webhook. */
export async function handleIssueDelivery(
  deps: HandlerDeps,
  { event, body }: Pick<StoredDelivery, 'event' | 'body'>,
): Promise<DeliveryResult | null> {
  const isComment = event === 'issue_comment.created';
  if (!isComment && !event.startsWith('issues.')) return null;
  const parsed = Body.safeParse(JSON.parse(body));
  if (!parsed.success) return { outcome: 'refused', reason: 'it names no issue' };
  const { repository, issue, comment } = parsed.data;
  // Comments on pull requests are handled as feedback.
  if (issue.pull_request !== undefined) return null;
  const issueId = `${repository.full_name}#${issue.number}`;
  if (!isComment) {
    await deps.sync([issueId]);
    return { outcome: 'processed' };
  }
  if (comment === undefined || !(await counts(deps, issueId, comment)))
    return { outcome: 'ignored' };
  await deps.hear({
    issueId,
    commentId: `github:${comment.id}`,
    author: comment.user?.login ?? 'ghost',
    body: comment.body ?? '',
    writtenAtMs: comment.created_at === undefined ? null : Date.parse(comment.created_at),
  });
  return { outcome: 'processed' };
}

async function counts(
  deps: Pick<HandlerDeps, 'whyIgnored' | 'logger'>,
  issueId: string,
  { user, author_association }: NonNullable<z.infer<typeof Body>['comment']>,
): Promise<boolean> {
  if (user === null) return false;
  const speaker = { login: user.login, type: user.type, association: author_association };
  const refused = await deps.whyIgnored(issueId.split('#')[0] ?? '', speaker);
  if (refused?.ours === false) {
    const details = { where: issueId, author: user.login, why: refused.why };
    deps.logger.info('a word on an issue was not taken', details);
  }
  return refused === null;
}
