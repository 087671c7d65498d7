import { z } from '@hono/zod-openapi';
import { PullRequest } from '@switchyard/shared/api/work/pull-request';
import { messageOf } from '@switchyard/shared/message-of';
import type { Blobs, Logger } from '../../../ports/ports.ts';
import type { LocalCodeHostDeps } from './local-code-host-deps.ts';
import { mergePullRequest } from './merge-pull-request.ts';
import type { MergeInRepository } from '../../../ports/code-host/merge-in-repository.ts';
import { pullRequestRecord } from '../../../ports/code-host/pull-request-record.ts';
import { endpoint, json, text } from '../../../http/endpoint/endpoint.ts';
import { OffsetPage } from '../../../http/endpoint/page-limit.ts';
import { pullRequestPage, requirePullRequest, pullRequestDiff } from './queries.ts';
import { closePullRequest } from './record-end.ts';

type EndDeps = Omit<LocalCodeHostDeps, 'ids'> & {
  logger: Logger;
  merge: MergeInRepository;
  /** Called after the merge is stored; a failure does not undo it. */
  onMerged: (pullRequest: PullRequest) => Promise<void>;
};

const ById = z.object({ id: z.string() });
const NOT_OPEN = { 409: 'It is not open, or is on another code host' };
const Query = OffsetPage.extend({ status: PullRequest.shape.status.optional() });
const PullRequestPage = z.object({ pullRequests: z.array(PullRequest), total: z.int() });

/** Routes that show pull requests of the built-in code host. */
export function localPullRequestRoutes(
  deps: Pick<LocalCodeHostDeps, 'db' | 'publicOrigin'> & { blobs: Blobs },
) {
  return [
    endpoint({
      at: 'GET /api/v1/local/pull-requests',
      summary: 'Pull requests of the built-in code host, newest first',
      query: Query,
      answer: json(200, 'A page of pull requests', PullRequestPage),
      handler: async ({ query }) => {
        const page = await pullRequestPage(deps.db, query);
        const records = page.rows.map((row) => pullRequestRecord(deps, row));
        return { pullRequests: records, total: page.total };
      },
    }),
    endpoint({
      at: 'GET /api/v1/local/pull-requests/{id}',
      summary: 'One pull request of the built-in code host',
      params: ById,
      answer: json(200, 'The pull request', PullRequest),
      refusals: { 404: 'No such pull request' },
      handler: async ({ params: { id } }) =>
        pullRequestRecord(deps, await requirePullRequest(deps.db, id)),
    }),
    endpoint({
      at: 'GET /api/v1/local/pull-requests/{id}/diff',
      summary: 'The unified diff of a pull request',
      params: ById,
      answer: text('Unified diff'),
      refusals: { 404: 'No such pull request, or it has no diff' },
      handler: async ({ c, params: { id } }) => {
        // A browser must not render a diff as a page: its content is the agent's.
        c.header('X-Content-Type-Options', 'nosniff');
        return new TextDecoder().decode(await pullRequestDiff(deps, id));
      },
    }),
  ] as const;
}

/** Routes by which a person merges or closes a pull request of the built-in code host. */
export function localPullRequestEndRoutes(deps: EndDeps) {
  return [
    endpoint({
      at: 'POST /api/v1/local/pull-requests/{id}/merge',
      summary: 'Merge an open pull request into its base branch',
      params: ById,
      answer: json(200, 'The merged pull request', PullRequest),
      refusals: {
        404: 'No such pull request',
        409: 'It is not open, is on another code host, or conflicts with its base',
        503: 'No runner can merge now',
      },
      handler: async ({ params: { id }, caller }) => {
        const pullRequest = await mergePullRequest(deps, deps.merge, caller, id);
        await tellOfMerge(deps, pullRequest);
        return pullRequest;
      },
    }),
    endpoint({
      at: 'POST /api/v1/local/pull-requests/{id}/close',
      summary: 'Close an open pull request without merging it',
      params: ById,
      answer: json(200, 'The closed pull request', PullRequest),
      refusals: { 404: 'No such pull request', ...NOT_OPEN },
      handler: ({ params: { id }, caller }) => closePullRequest(deps, caller, id),
    }),
  ] as const;
}

async function tellOfMerge(
  deps: Pick<EndDeps, 'logger' | 'onMerged'>,
  pullRequest: PullRequest,
): Promise<void> {
  try {
    await deps.onMerged(pullRequest);
  } catch (error) {
    const message = messageOf(error);
    const { id, status } = pullRequest;
    deps.logger.warn('the end of a pull request had no effect', { id, status, error: message });
  }
}
