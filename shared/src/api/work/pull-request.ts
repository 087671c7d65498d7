import { z } from 'zod';
import { DiffStat } from './diff-stat.ts';
import { namedObject } from '../../named-object.ts';

/** A pull request of the built-in code host: a record that a person merges or closes. */
export const PullRequest = namedObject('PullRequest', {
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
});
export type PullRequest = z.infer<typeof PullRequest>;

/**
 * A check on the head of a pull request, at the latest poll of its host. `name` and `url` are
 * untrusted.
 */
export const PullRequestCheck = namedObject('PullRequestCheck', {
  name: z.string(),
  /**
   * State of the check. `skipped` includes cancelled, stale and neutral: it gives no verdict on the
   * work.
   */
  state: z.enum(['pending', 'passed', 'failed', 'skipped']),
  url: z.string().nullable(),
  startedAt: z.iso.datetime().nullable(),
  endedAt: z.iso.datetime().nullable(),
});
export type PullRequestCheck = z.infer<typeof PullRequestCheck>;

/** The checks of one commit. */
export const CheckedCommit = namedObject('CheckedCommit', {
  headSha: z.string(),
  checks: z.array(PullRequestCheck),
  /** What the host's credential may not read, as texts; left out: it reads everything. */
  unseen: z.array(z.string()).optional(),
});
export type CheckedCommit = z.infer<typeof CheckedCommit>;

/** The newest pull request of an issue. */
export const IssuePullRequest = namedObject('IssuePullRequest', {
  pullRequest: PullRequest,
  /** Null where the host has no checks, and before its first poll. */
  checked: CheckedCommit.nullable(),
});
export type IssuePullRequest = z.infer<typeof IssuePullRequest>;
