import { z } from 'zod';
import { GitHindrance } from '../git-hindrance.ts';
import { namedObject } from '../../named-object.ts';

const GitBranch = namedObject('GitBranch', {
  name: z.string(),
  /** URL of the route that the branch belongs to. */
  repository: z.string(),
  /** Attempts start from this branch. */
  isDefault: z.boolean(),
});

const GitRemote = namedObject('GitRemote', {
  name: z.string(),
  url: z.string(),
  runnerId: z.string(),
});

const GitRoute = namedObject('GitRoute', {
  prefix: z.string().optional(),
  label: z.string().optional(),
  url: z.string(),
  default_branch: z.string().optional(),
  /**
   * The branch that attempts start from, as a runner resolved it; null when no runner could answer.
   */
  head: z.string().nullable(),
  /** Why branches are missing or outdated; null when a runner has just fetched them. */
  reason: z.string().nullable(),
  /**
   * What prevents pushes to the repository or merges in it, and the fix; null: no problem is known.
   */
  hindrance: GitHindrance.nullable(),
});

export const GitContext = namedObject('GitContext', {
  branches: z.array(GitBranch),
  remotes: z.array(GitRemote),
  /** Routes in the order in which they are stored; routes by label are tried first. */
  routes: z.array(GitRoute),
  /** Why no branches are shown at all; null when a runner answered. */
  reason: z.string().nullable(),
  /** True: there are more branches than are shown. */
  truncated: z.boolean(),
});
export type GitContext = z.infer<typeof GitContext>;
