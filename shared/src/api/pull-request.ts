import { z } from 'zod';
import { DiffStat } from './diff-stat.ts';

/** A pull request of the built-in code host: a record that a person merges or closes. */
export const PullRequest = z
  .object({
    id: z.string(),
    number: z.int(),
    codeHost: z.string(),
    repositoryUrl: z.string(),
    branch: z.string(),
    base: z.string(),
    commitSha: z.string(),
    title: z.string(),
    body: z.string(),
    draft: z.boolean(),
    status: z.enum(['open', 'merged', 'closed']),
    mergeCommitSha: z.string().nullable(),
    url: z.string(),
    diffStat: DiffStat,
    issueIdentifier: z.string(),
    attemptId: z.string(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'PullRequest' });
export type PullRequest = z.infer<typeof PullRequest>;
