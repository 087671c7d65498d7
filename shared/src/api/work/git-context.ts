import { z } from 'zod';
import { GitHindrance } from '../git-hindrance.ts';
import { namedObject } from '../../named-object.ts';

const GitBranch = namedObject('GitBranch', {
  name: z.string(),
  /** URL of the route that it belongs to. */
  repository: z.string(),
  /** Work starts from it. */
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
  /** The branch that work starts from, as a runner sees it; null when none could be asked. */
  head: z.string().nullable(),
  /** Why branches are missing or older than now; null when a runner has just looked. */
  reason: z.string().nullable(),
  /** What stands in the way of its pushes or merges, with what to do; null: nothing that is known. */
  hindrance: GitHindrance.nullable(),
});

export const GitContext = namedObject('GitContext', {
  branches: z.array(GitBranch),
  remotes: z.array(GitRemote),
  /** In the order in which they are stored; label routes are tried first. */
  routes: z.array(GitRoute),
  /** Why no branches are shown at all; null when a runner could be asked. */
  reason: z.string().nullable(),
  /** There are more branches than are shown. */
  truncated: z.boolean(),
});
export type GitContext = z.infer<typeof GitContext>;
