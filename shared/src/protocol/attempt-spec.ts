import { z } from 'zod';
import { EgressSpec } from './egress-spec.ts';
import { WireApi } from '../model-providers/wire-api.ts';
import { RequiredIsolation } from '../sandbox/isolation-level.ts';
import { MAX_NAMED_SUBMODULES } from '../sandbox/max-named-submodules.ts';
import { SparsePaths } from '../sandbox/sparse-paths.ts';
import { MAX_WORK_SECRETS, WorkSecret } from '../sandbox/work-secret.ts';
import { ArtifactsFolder } from '../evidence/artifact.ts';
import { Scope } from '../evidence/scope.ts';
import { CheckSpec, MAX_CHECKS } from '../checks/check-spec.ts';
import { MAX_OWN_COMMITS } from './limits.ts';
import { WorkspaceKey } from './workspace-key.ts';

const Milliseconds = z.int().min(0);

/** The repository of the work and its default branch. */
export const RepositorySpec = z.object({
  url: z.string().max(2048),
  defaultBranch: z.string().max(255).optional(),
  /** Folders to check out, with the files above them; absent: the complete repository. */
  sparsePaths: SparsePaths.optional(),
  /**
   * Repositories that the operator allows as submodules, in addition to public ones on the same
   * host.
   */
  submodules: z.array(z.string().max(2048)).max(MAX_NAMED_SUBMODULES).optional(),
});
export type RepositorySpec = z.infer<typeof RepositorySpec>;

/**
 * Commits that an issue's attempts have made: a branch that points to one of them belongs to the
 * issue.
 */
export const OwnCommits = z.array(z.string().max(64)).max(MAX_OWN_COMMITS);

/** The issue as the agent sees it. Its strings are untrusted data, never commands. */
const IssueSpec = z.object({
  id: z.string(),
  identifier: z.string(),
  title: z.string(),
  description: z.string().nullable(),
  url: z.string().nullable(),
  labels: z.array(z.string()),
});
export type IssueSpec = z.infer<typeof IssueSpec>;

/** Engine, model and provider of an attempt, without the provider's key. */
export const EngineSpec = z.object({
  /** Absent: the runner's default engine. */
  name: z.string().optional(),
  model: z.string(),
  reasoningEffort: z.string().optional(),
  /** Name of the provider's account in the configuration; absent: there is only one. */
  account: z.string().max(100).optional(),
  /**
   * True: the repository's own settings for the engine apply; otherwise only its instructions do.
   */
  repositorySettings: z.boolean().optional(),
  provider: z.object({
    name: z.string(),
    baseUrl: z.string(),
    /** API format of the provider; the model proxy forwards requests unchanged. */
    wireApi: WireApi,
  }),
});
export type EngineSpec = z.infer<typeof EngineSpec>;

/** A tool that is offered to the agent; the control plane answers its calls. */
export const ToolSpec = z.object({
  name: z.string().regex(/^[a-z][a-z0-9_]{0,63}$/),
  description: z.string().max(8_192),
  /** JSON Schema of the arguments. */
  inputSchema: z.record(z.string(), z.unknown()),
});
export type ToolSpec = z.infer<typeof ToolSpec>;

/** A branch whose merge into its base is tested and pushed. */
const MergeSpec = z.object({
  baseBranch: z.string().max(255),
  branch: z.string().max(255),
  /** Head of the branch that may be merged; a branch that has moved is not merged. */
  expectedCommit: z.string().max(64),
  /** Message of the merge commit. */
  message: z.string().max(10_000),
});
export type MergeSpec = z.infer<typeof MergeSpec>;

/** The commit of a pull request that an agent reviews. */
const ReviewSpec = z.object({
  /** Head of its branch. Only exactly this commit is reviewed. */
  expectedCommit: z.string().max(64),
  /** The commit from which the work began. */
  baseCommit: z.string().max(64),
});
export type ReviewSpec = z.infer<typeof ReviewSpec>;

/**
 * Everything that a runner needs for one attempt, typed: without command lines or mounts, so that a
 * control plane cannot control a host. Secrets are sent sealed beside it, in `granted`.
 */
export const AttemptSpec = z.object({
  attemptId: z.string(),
  number: z.int().min(1),
  /**
   * Number of turns under earlier leases of this attempt, from which this lease continues. Absent:
   * none.
   */
  turnsBefore: z.int().min(0).optional(),
  issue: IssueSpec,
  repository: RepositorySpec,
  /** Rendered first prompt of the thread. */
  prompt: z.string(),
  /** Prompt that is sent instead of `prompt` when a stored thread continues. */
  continuationPrompt: z.string(),
  /** Thread of an earlier attempt whose session files may still be on the runner. */
  resumeThreadId: z.string().optional(),
  /** The newest checkpoint of earlier work, for a runner without the issue's workspace. */
  resume: z
    .object({
      /** Commit on the issue's work-in-progress ref (see work-in-progress-ref.ts). */
      commitSha: z.string().optional(),
      baseCommit: z.string().optional(),
      /** Blob with the engine's session file. */
      sessionBlob: z.string().optional(),
    })
    .optional(),
  /** What is saved outside the host during the work. */
  checkpoints: z.object({ pushWorkInProgress: z.boolean(), uploadSession: z.boolean() }),
  /**
   * The agent only reads: its workspace is mounted read-only, and nothing is committed or pushed.
   */
  readOnly: z.boolean().optional(),
  /** Tools with which the agent may send requests to the control plane. */
  tools: z.array(ToolSpec).max(16).optional(),
  /**
   * True: MCP servers that the repository declares in `.mcp.json` run beside the agent. Absent:
   * none do.
   */
  repositoryServers: z.boolean().optional(),
  /**
   * Branch of the issue, unique in its repository; absent from an older control plane: the runner
   * derives one from the issue.
   */
  branch: z.string().optional(),
  /** Commits, newest first; absent from an older control plane. */
  ownCommits: OwnCommits.optional(),
  /**
   * Key that names the issue's folders, sessions and hidden ref; absent: derived from its
   * identifier.
   */
  workspaceKey: WorkspaceKey.optional(),
  engine: EngineSpec,
  sandbox: z.object({
    image: z.string().optional(),
    memoryBytes: z.int().min(1),
    cpus: z.number().positive(),
    pids: z.int().min(1),
    tmpfsBytes: z.int().min(1),
    /**
     * Bytes of workspace and engine home together; exceeding them ends the attempt. Absent: no
     * limit.
     */
    diskBytes: z.int().min(1).optional(),
    /**
     * Number of files and folders in workspace and engine home; exceeding it ends the attempt.
     * Absent: no limit.
     */
    diskEntries: z.int().min(1).optional(),
    /** Size of the repository's dependency cache for its set-up hook. Absent: no cache. */
    setupCacheBytes: z.int().min(1).optional(),
    /** Name of the container runtime, which the runner's daemon must have. */
    runtime: z.string().max(100).optional(),
    /** Minimum isolation; a runner that cannot provide it does not start the attempt. */
    isolation: RequiredIsolation.optional(),
    /** Absent: only the model provider can be reached. */
    egress: EgressSpec.optional(),
    /**
     * Secrets that the proxy adds to requests to some hosts; their values are in `sealedSecrets`.
     */
    secrets: z.array(WorkSecret).max(MAX_WORK_SECRETS).optional(),
  }),
  /** Limits of what may be pushed; absent: the runner's defaults. */
  push: z
    .object({
      /** Globs of paths that are allowed although they are refused by default. */
      allowPaths: z.array(z.string().min(1).max(300)).max(200),
      maxFiles: z.int().min(1),
      maxBytes: z.int().min(1),
    })
    .optional(),
  limits: z.object({
    maxTurns: z.int().min(1),
    /** 0 disables a stall timer. */
    turnStallMs: Milliseconds,
    agentStallMs: Milliseconds,
    attemptMs: Milliseconds,
    requestMs: Milliseconds,
    hookMs: Milliseconds,
  }),
  hooks: z.object({
    afterCreate: z.string().optional(),
    beforeRun: z.string().optional(),
    afterRun: z.string().optional(),
    beforeRemove: z.string().optional(),
  }),
  /**
   * Checks that finished work must pass before delivery. Absent: none. A runner without the feature
   * runs none.
   */
  checks: z.array(CheckSpec).max(MAX_CHECKS).optional(),
  /**
   * Changed files outside these globs are reported with the delivery. Absent: nothing is reported.
   */
  scope: Scope.optional(),
  /**
   * Folder whose files are stored for people after the engine has ended, and not committed. Absent:
   * no files are stored.
   */
  artifacts: ArtifactsFolder.optional(),
  /**
   * A branch to merge into its base: no agent works and no model is asked. The runner merges, runs
   * the declared checks on exactly that commit, asks `push.permit` for the base branch and pushes
   * it. Absent: an agent works. Only for runners with the feature.
   */
  merge: MergeSpec.optional(),
  /**
   * The agent, which only reads (`readOnly`), reviews a commit: the workspace must be at exactly it
   * before the engine starts. Absent: the agent reviews nothing. Only for runners with the feature.
   */
  review: ReviewSpec.optional(),
  commit: z.object({ name: z.string(), email: z.string(), sign: z.boolean() }),
});
export type AttemptSpec = z.infer<typeof AttemptSpec>;
