import type { DeliveryHandler, DeliveryResult } from '../ports.ts';
import { type FeedbackDeps, lookAtPullRequest } from './look-at-pull-request.ts';
import { pullRequestsNamed } from './queries.ts';

const MAX_PULL_REQUESTS = 20;

/**
 * Deliveries of code hosts. They only say where to look: what counts is what the host shows then,
 * so that one which comes twice, late or out of order changes nothing.
 */
export function createCodehostHandler(deps: FeedbackDeps): DeliveryHandler {
  return {
    async handle({ event, body }, signal): Promise<DeliveryResult> {
      const payload = JSON.parse(body) as unknown;
      const hints = deps.codeHosts.flatMap((host) => host.hintsOf?.(event, payload) ?? []);
      if (hints.length === 0) return { outcome: 'ignored' };
      const named = await pullRequestsNamed(
        deps.db,
        {
          numbers: hints.flatMap(({ number }) => number ?? []),
          branches: hints.flatMap(({ branch }) => branch ?? []),
        },
        MAX_PULL_REQUESTS,
      );
      const rows = named.filter((row) =>
        hints.some(
          (hint) =>
            hint.isOf(row.repository_url) &&
            (hint.number === row.number || hint.branch === row.branch || hint.branch === row.base),
        ),
      );
      if (rows.length === 0) return { outcome: 'ignored' };
      for (const row of rows) await lookAtPullRequest(deps, row, signal);
      return { outcome: 'processed' };
    },
  };
}
