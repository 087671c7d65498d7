import { z } from 'zod';

const Ref = z.object({
  ref: z.string(),
  sha: z.string(),
  /** Null: a fork that was deleted. */
  repo: z.object({ id: z.int() }).nullish(),
});

/** The fields of GitHub's pull request that we read. */
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
  /** Null while GitHub has not computed it; only in the answer about a single one. */
  mergeable: z.boolean().nullable().optional(),
});
export type GitHubPullRequest = z.infer<typeof GitHubPullRequest>;
