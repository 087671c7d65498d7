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

/** Where the work happens and what its default branch is. */
export const RepositorySpec = z.object({
  url: z.string().max(2048),
  defaultBranch: z.string().max(255).optional(),
  /** Folders to check out, with the files above them; absent: everything. */
  sparsePaths: SparsePaths.optional(),
  /** Repositories that the operator allows as submodules, beside public ones of the same host. */
  submodules: z.array(z.string().max(2048)).max(MAX_NAMED_SUBMODULES).optional(),
});
export type RepositorySpec = z.infer<typeof RepositorySpec>;

/** Commits that an issue's attempts have made: a branch that stands at one of them is the issue's own. */
export const OwnCommits = z.array(z.string().max(64)).max(MAX_OWN_COMMITS);

/** The issue as the agent gets to see it. Strings come from strangers: data, never commands. */
const IssueSpec = z.object({
  id: z.string(),
  identifier: z.string(),
  title: z.string(),
  description: z.string().nullable(),
  url: z.string().nullable(),
  labels: z.array(z.string()),
});
export type IssueSpec = z.infer<typeof IssueSpec>;

/** Which engine with which model of which provider. Without the provider's key. */
export const EngineSpec = z.object({
  /** Undefined: the runner's default engine. */
  name: z.string().optional(),
  model: z.string(),
  reasoningEffort: z.string().optional(),
  /** Account of the provider by its name in the configuration; absent: the only one. */
  account: z.string().max(100).optional(),
  /** What the repository sets for the engine itself counts; otherwise only its instructions do. */
  repositorySettings: z.boolean().optional(),
  provider: z.object({
    name: z.string(),
    baseUrl: z.string(),
    /** Format of its API; the model proxy forwards it as it is. */
    wireApi: WireApi,
  }),
});
export type EngineSpec = z.infer<typeof EngineSpec>;

/** A tool that the agent is offered; its calls are answered by the control plane. */
export const ToolSpec = z.object({
  name: z.string().regex(/^[a-z][a-z0-9_]{0,63}$/),
  description: z.string().max(8_192),
  /** JSON Schema of the arguments. */
  inputSchema: z.record(z.string(), z.unknown()),
});
export type ToolSpec = z.infer<typeof ToolSpec>;

/**
 * Everything a runner needs for one attempt, typed: no command lines and no mounts, so that a
 * control plane cannot steer a host. Secrets travel beside it, sealed, in `granted`.
 */
export const AttemptSpec = z.object({
  attemptId: z.string(),
  number: z.int().min(1),
  /** Turns of this attempt under former leases: this one's are numbered on. Absent: none. */
  turnsBefore: z.int().min(0).optional(),
  issue: IssueSpec,
  repository: RepositorySpec,
  /** Rendered first prompt of the thread. */
  prompt: z.string(),
  /** Sent instead of the prompt when a stored thread continues. */
  continuationPrompt: z.string(),
  /** Thread of an earlier attempt whose session files the runner may still have. */
  resumeThreadId: z.string().optional(),
  /** Where earlier work stands, for a runner that has not its workspace: the newest checkpoint. */
  resume: z
    .object({
      /** Commit on the issue's work-in-progress ref (see work-in-progress-ref.ts). */
      commitSha: z.string().optional(),
      baseCommit: z.string().optional(),
      /** Blob with the engine's session file. */
      sessionBlob: z.string().optional(),
    })
    .optional(),
  /** What is kept outside the host while the work goes on. */
  checkpoints: z.object({ pushWorkInProgress: z.boolean(), uploadSession: z.boolean() }),
  /** The agent only looks: its workspace is mounted read-only, nothing is committed or pushed. */
  readOnly: z.boolean().optional(),
  /** What the agent may ask the control plane for. */
  tools: z.array(ToolSpec).max(16).optional(),
  /** MCP servers that the repository declares in `.mcp.json` run beside the agent. Absent: none. */
  repositoryServers: z.boolean().optional(),
  /**
   * Branch of the issue, which no other issue of the repository has; absent from an older control
   * plane: the runner names one from the issue.
   */
  branch: z.string().optional(),
  /** Newest first; absent from an older control plane. */
  ownCommits: OwnCommits.optional(),
  /** Names the issue's folders, sessions and hidden ref; absent: made from its identifier. */
  workspaceKey: WorkspaceKey.optional(),
  engine: EngineSpec,
  sandbox: z.object({
    image: z.string().optional(),
    memoryBytes: z.int().min(1),
    cpus: z.number().positive(),
    pids: z.int().min(1),
    tmpfsBytes: z.int().min(1),
    /** Workspace and engine home together; more ends the attempt. Absent: no limit. */
    diskBytes: z.int().min(1).optional(),
    /** Files and folders in both together; more ends the attempt. Absent: no limit. */
    diskEntries: z.int().min(1).optional(),
    /** Size of the repository's dependency cache for its set-up hook. Absent: none. */
    setupCacheBytes: z.int().min(1).optional(),
    /** Container runtime by name; the runner's daemon must have it. */
    runtime: z.string().max(100).optional(),
    /** Least isolation; a runner that cannot give it does not start the attempt. */
    isolation: RequiredIsolation.optional(),
    /** Absent: nothing but the model provider. */
    egress: EgressSpec.optional(),
    /** What the proxy adds to requests to some hosts; their values are in `sealedSecrets`. */
    secrets: z.array(WorkSecret).max(MAX_WORK_SECRETS).optional(),
  }),
  /** What may be pushed; absent: a runner's own defaults. */
  push: z
    .object({
      /** Paths that are refused otherwise, as globs. */
      allowPaths: z.array(z.string().min(1).max(300)).max(200),
      maxFiles: z.int().min(1),
      maxBytes: z.int().min(1),
    })
    .optional(),
  limits: z.object({
    maxTurns: z.int().min(1),
    /** 0 turns a stall timer off. */
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
   * What work that is done must pass before it is delivered. Absent: nothing. A runner that does not
   * know them runs none.
   */
  checks: z.array(CheckSpec).max(MAX_CHECKS).optional(),
  /** Files that the work changes outside of it are told with its delivery. Absent: nothing is. */
  scope: Scope.optional(),
  /** Files in it are stored for people when the engine has ended, and not committed. Absent: none are. */
  artifacts: ArtifactsFolder.optional(),
  commit: z.object({ name: z.string(), email: z.string(), sign: z.boolean() }),
});
export type AttemptSpec = z.infer<typeof AttemptSpec>;
