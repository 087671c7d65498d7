import { z } from 'zod';

const Ref = z.object({
  ref: z.string(),
  sha: z.string(),
  /** Null when the fork was deleted. */
  repo: z.object({ id: z.int() }).nullish(),
});

/** The fields of GitHub's pull request that are used. */
export const GitHubPullRequest = z.object({
  number: z.int(),
  node_id: z.string(),
  html_url: z.string(),
  state: z.enum(['open', 'closed']),
  draft: z.boolean().optional(),
  title: z.string(),
  body: z.string().nullable(),
  head: Ref,
  base: Ref,
  merged_at: z.string().nullable().optional(),
  merge_commit_sha: z.string().nullable().optional(),
  /** Null until GitHub has computed it; only in the response for a single pull request. */
  mergeable: z.boolean().nullable().optional(),
});
export type GitHubPullRequest = z.infer<typeof GitHubPullRequest>;
