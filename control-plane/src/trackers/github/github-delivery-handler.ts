import { z } from 'zod';
import type { DeliveryResult, StoredDelivery } from '../../ports.ts';

/** Whose words start work: strangers on a public repository must not. */
const TRUSTED = new Set(['OWNER', 'MEMBER', 'COLLABORATOR']);

const Body = z.object({
  repository: z.object({ full_name: z.string().max(200) }),
  issue: z.object({ number: z.int().min(1), pull_request: z.unknown().optional() }),
  comment: z
    .object({
      id: z.int(),
      body: z.string().nullable(),
      user: z.object({ login: z.string() }).nullable(),
      author_association: z.string().optional(),
      created_at: z.iso.datetime().optional(),
    })
    .optional(),
});

type HandlerDeps = {
  /** Brings the index up to date with the present state of issues. */
  sync: (issueIds: readonly string[]) => Promise<unknown>;
  hear: (comment: {
    issueId: string;
    commentId: string;
    author: string;
    body: string;
    writtenAtMs: number | null;
  }) => Promise<void>;
  ownLogin: () => Promise<string>;
  /** Logins whose words count; empty: everybody who may write to the repository. */
  allowedAuthors: () => readonly string[];
};

/** What GitHub's deliveries about issues mean; null for those about anything else. */
export async function handleIssueDelivery(
  deps: HandlerDeps,
  { event, body }: Pick<StoredDelivery, 'event' | 'body'>,
): Promise<DeliveryResult | null> {
  const isComment = event === 'issue_comment.created';
  if (!isComment && !event.startsWith('issues.')) return null;
  const parsed = Body.safeParse(JSON.parse(body));
  if (!parsed.success) return { outcome: 'refused', reason: 'it names no issue' };
  const { repository, issue, comment } = parsed.data;
  // Those of pull requests are heard with everything else that is said there.
  if (issue.pull_request !== undefined) return null;
  const issueId = `${repository.full_name}#${issue.number}`;
  if (!isComment) {
    await deps.sync([issueId]);
    return { outcome: 'processed' };
  }
  if (comment === undefined || !(await counts(deps, comment))) return { outcome: 'ignored' };
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
  deps: HandlerDeps,
  comment: NonNullable<z.infer<typeof Body>['comment']>,
): Promise<boolean> {
  const login = comment.user?.login.toLowerCase();
  if (login === undefined || !TRUSTED.has(comment.author_association ?? '')) return false;
  const allowed = deps.allowedAuthors().map((name) => name.trim().toLowerCase());
  if (allowed.length > 0 && !allowed.includes(login)) return false;
  return login !== (await deps.ownLogin()).toLowerCase();
}
