import { z } from 'zod';
import { MergePolicy } from '../../merge/merge-policy.ts';
import { ReviewPolicy } from '../../review/review-policy.ts';
import {
  MAX_WORK_SECRETS,
  SecretHeader,
  SecretHost,
  SecretScheme,
  SecretUser,
} from '../../sandbox/work-secret.ts';
import { MAX_NAMED_SUBMODULES } from '../../sandbox/max-named-submodules.ts';
import { SparsePaths } from '../../sandbox/sparse-paths.ts';
import { SECRET_REFERENCE } from '../../settings/secret-reference.ts';
import { ArtifactsFolder } from '../../evidence/artifact.ts';
import { Scope } from '../../evidence/scope.ts';
import { CheckCommand, CheckName, CheckTimeoutMs, MAX_CHECKS } from '../../checks/check-spec.ts';
import { PlanMode } from '../../plan/plan-mode.ts';
import { namedObject } from '../../named-object.ts';

/** A secret for the work itself, which the runner's proxy adds to requests to these hosts. */
const RepoSecret = z
  .strictObject({
    secret: z
      .string()
      .regex(SECRET_REFERENCE, 'must be $SECRET:NAME')
      .describe('Which secret, as $SECRET:NAME.'),
    hosts: z.array(SecretHost).min(1).max(20).describe('Who gets it, over TLS: host or host:port.'),
    header: SecretHeader.optional().describe('Default: authorization.'),
    scheme: SecretScheme.optional().describe(
      'bearer, the default for authorization; basic, with user; plain, the default elsewhere.',
    ),
    user: SecretUser.optional().describe('User name for basic.'),
    writes: z.boolean().optional().describe('Also methods other than GET, HEAD and git fetches.'),
  })
  .refine(({ scheme, user }) => (scheme === 'basic') === (user !== undefined), {
    message: 'user belongs to the scheme basic, and basic needs one',
  })
  .meta({ id: 'RepoSecret' });
export type RepoSecret = z.infer<typeof RepoSecret>;

/** A command that the work of every agent must pass before its pull request opens. */
const RepoCheck = z
  .strictObject({
    name: CheckName.describe('Shown in the pull request; no two of a repository share one.'),
    command: CheckCommand.describe('Run with sh -lc in the workspace, in a container of its own.'),
    timeout_ms: CheckTimeoutMs.optional().describe('Default: 600000.'),
  })
  .meta({ id: 'RepoCheck' });

/** Routes issues to a repository: by label first, then by identifier prefix. */
export const RepoRoute = z
  .strictObject({
    prefix: z.string().min(1).max(64).optional(),
    label: z.string().min(1).max(100).optional(),
    url: z
      .string()
      .min(1)
      .max(2048)
      .describe('https://…, ssh://… or file:///absolute/path on the runner.'),
    default_branch: z.string().min(1).max(255).optional(),
    secrets: z.array(RepoSecret).max(MAX_WORK_SECRETS).optional(),
    repository_servers: z
      .boolean()
      .optional()
      .describe(
        'MCP servers that its .mcp.json declares run in the container. Default: none does.',
      ),
    sparse_paths: SparsePaths.optional(),
    checks: z
      .array(RepoCheck)
      .max(MAX_CHECKS)
      .refine((checks) => new Set(checks.map(({ name }) => name)).size === checks.length, {
        message: 'two checks have the same name',
      })
      .optional()
      .describe('Run in this order on finished work; one that fails goes back to the agent.'),
    scope: Scope.optional().describe(
      'Globs of the files that work is expected to change; others are named in the pull request.',
    ),
    artifacts: ArtifactsFolder.optional().describe(
      'Folder in which agents leave screenshots and other files for people; none of it is committed.',
    ),
    evidence: z
      .enum(['brief', 'full'])
      .optional()
      .describe(
        'What a pull request tells of how the work was made. full: also its tokens and cost, and questions with their answers. Default: brief.',
      ),
    plan: PlanMode.optional().describe(
      'Whether agents plan before they work on its issues. Default: agent.plan.mode.',
    ),
    merge: MergePolicy.optional().describe(
      'When its pull requests are merged, and by whom. Default: people merge them.',
    ),
    review: ReviewPolicy.optional().describe(
      'Whether another agent reviews its pull requests. Default: none does.',
    ),
    submodules: z
      .array(z.string().min(1).max(2048))
      .max(MAX_NAMED_SUBMODULES)
      .optional()
      .describe(
        'Repositories that its submodules may be fetched from as it is itself, with credentials. Default: only public ones on its own host.',
      ),
  })
  .refine((route) => (route.prefix === undefined) !== (route.label === undefined), {
    message: 'give either prefix or label',
  })
  .refine(({ merge, url }) => (merge?.mode ?? 'never') === 'never' || /^file:/i.test(url), {
    path: ['merge'],
    message: 'only a repository on the runner’s own host (file://) has a merge queue',
  })
  .refine(({ review, url }) => (review?.mode ?? 'off') === 'off' || /^file:/i.test(url), {
    path: ['review'],
    message: 'only a repository on the runner’s own host (file://) has reviews by agents',
  })
  .meta({
    id: 'RepoRoute',
    description: 'Where the issues of a prefix or a label belong.',
    oneOf: [{ required: ['prefix'] }, { required: ['label'] }],
  });
export type RepoRoute = z.infer<typeof RepoRoute>;

export const RepoRouteList = namedObject('RepoRouteList', { routes: z.array(RepoRoute) });

/** The routes after one was added, and what a runner found out about the new repository. */
export const RepoRouteAdded = namedObject('RepoRouteAdded', {
  routes: z.array(RepoRoute),
  url: z.string().describe('Of the new route, as its address was understood.'),
  ok: z.boolean().nullable().describe('Whether a runner can work with it; null: none could look.'),
  message: z.string().describe('What a runner found, or why none could look.'),
  warnings: z.array(z.string()).describe('What works, but not as one may expect, with what to do.'),
});
export type RepoRouteAdded = z.infer<typeof RepoRouteAdded>;
