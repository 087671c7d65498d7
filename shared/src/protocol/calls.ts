import { z } from 'zod';
import { EngineSpec, OwnCommits, RepositorySpec } from './attempt-spec.ts';
import { BaseImage, SandboxImage } from '../sandbox/sandbox-image.ts';
import { EngineOperation, EngineOutcome } from './engine-operations.ts';
import { EngineTestOutcome, EngineTestParams } from './engine-test.ts';
import { GitHindrance } from '../api/git-hindrance.ts';
import { MAX_TOOL_ANSWER_CHARS } from './limits.ts';

/** The latest time that a Date can represent. */
const MAX_DATE_MS = 8.64e15;

/**
 * Methods of `call`, their params and results. `to` is the side that answers. A call runs at most
 * once: a caller without a timely answer must be able to repeat it, so every method is idempotent
 * except `tool.call` and `engine.test`.
 */
export const Calls = {
  /** Sent before a push, under the attempt's epoch: may this branch move to this commit? */
  'push.permit': {
    to: 'control-plane',
    params: z.object({ branch: z.string(), commitSha: z.string(), repositoryUrl: z.string() }),
    value: z.object({ allowed: z.boolean(), reason: z.string().optional() }),
  },
  /**
   * Sent right before git connects to a remote. `sealed`: a compact JWE to the runner's sealing key
   * with `{username, password}`; null: this remote needs no credentials of the service. Kept in
   * memory only.
   */
  'git.credentials': {
    to: 'control-plane',
    params: z.object({ repositoryUrl: z.string().max(2048) }),
    value: z.object({
      sealed: z.string().nullable(),
      /** Milliseconds for which the credentials may be reused; 0: request them every time. */
      reusableMs: z.int().min(0),
    }),
  },
  /**
   * A call of a tool that the attempt's spec offers, under its epoch. The caller must not repeat it
   * by itself: the agent is informed that its call may have taken effect.
   */
  'tool.call': {
    to: 'control-plane',
    params: z.object({ tool: z.string().max(64), arguments: z.unknown() }),
    value: z.object({
      /** False: refused or failed; the text has the reason and what to do. */
      success: z.boolean(),
      text: z.string().max(MAX_TOOL_ANSWER_CHARS),
    }),
  },
  /** Merges a pull request's branch into its base in the runner's mirror and pushes the base. */
  'pull_request.merge': {
    to: 'runner',
    params: z.object({
      repository: RepositorySpec,
      branch: z.string(),
      baseBranch: z.string(),
      expectedCommit: z.string(),
      message: z.string(),
    }),
    value: z.object({ mergeCommit: z.string() }),
  },
  /**
   * Moves a branch of the service to a commit that the mirror keeps for an attempt, or that the
   * issue's work-in-progress ref holds, so that people see it.
   */
  'branch.publish': {
    to: 'runner',
    params: z.object({
      repository: RepositorySpec,
      /** Hidden ref that holds the commit. */
      ref: z.string(),
      commitSha: z.string(),
      branch: z.string(),
      /** The only commits that the branch may lose; absent from an older control plane. */
      ownCommits: OwnCommits.optional(),
      /**
       * True: this completes the work, so the hidden ref is deleted if the branch contains its
       * commits.
       */
      isDelivered: z.boolean().optional(),
      /** Branch that the work is meant for, to check whether the remote still has it. */
      baseBranch: z.string().optional(),
    }),
    value: z.object({
      pushed: z.boolean(),
      /** The remote's default branch, or the branch that the route configures. */
      baseBranch: z.string(),
      /** True: the remote lacks the `baseBranch` of the params, or else the configured branch. */
      baseIsGone: z.boolean().optional(),
    }),
  },
  /**
   * Delivers a person's message to the live turn of an attempt. False: not possible now; the caller
   * repeats it as `steer` with the same message id, and it is delivered once.
   */
  'turn.steer': {
    to: 'runner',
    params: z.object({
      attemptId: z.string(),
      epoch: z.int().min(1),
      messageId: z.string().max(128),
      text: z.string(),
    }),
    value: z.object({ delivered: z.boolean() }),
  },
  /** Unified diff of two refs of the remote. */
  'git.diff': {
    to: 'runner',
    params: z.object({ repository: RepositorySpec, base: z.string(), head: z.string() }),
    value: z.object({ diff: z.string(), truncated: z.boolean() }),
  },
  /** Branches and HEAD of a route's repository. */
  'git.context': {
    to: 'runner',
    params: z.object({ repository: RepositorySpec }),
    value: z.object({
      head: z.string(),
      branches: z.array(z.string()),
      /** Why the answer shows an older state of the mirror; left out after a successful fetch. */
      stale: z.string().optional(),
      remotes: z.array(z.string()),
      /**
       * Only for a repository on the runner's own host; left out: no problem is known, or the
       * runner is older.
       */
      hindrance: GitHindrance.optional(),
    }),
  },
  /**
   * The URL of a repository for a path on the runner's host that a person entered, which may begin
   * with `~/`. No file is read for it; older runners refuse the call as an unknown method.
   */
  'repository.address': {
    to: 'runner',
    params: z.object({ path: z.string().min(1).max(2048) }),
    value: z.object({ url: z.string().max(4096) }),
  },
  /** Every workspace that this runner made and still has. */
  'workspaces.list': {
    to: 'runner',
    params: z.object({}),
    value: z.object({
      workspaces: z.array(
        z.object({
          key: z.string(),
          path: z.string(),
          identifier: z.string(),
          /** Lower bound of the size: of very large workspaces only a part is counted. */
          diskBytes: z.number().min(0).max(Number.MAX_SAFE_INTEGER),
          /** False or left out: the count is incomplete or has not started. */
          complete: z.boolean().optional(),
          /** Epoch milliseconds of the newest change found. */
          lastModifiedAtMs: z.number().min(0).max(MAX_DATE_MS),
          /** True while an attempt uses the workspace. */
          inUse: z.boolean(),
        }),
      ),
    }),
  },
  /**
   * Removes an issue's workspace; refused while an attempt uses it. `beforeRemove` is a script that
   * runs inside the isolation first, for at most `timeoutMs`; its failure is logged and ignored.
   */
  'workspace.remove': {
    to: 'runner',
    params: z.object({
      key: z.string(),
      beforeRemove: z.string().optional(),
      timeoutMs: z.int().min(1).optional(),
    }),
    value: z.object({ removed: z.boolean() }),
  },
  /**
   * State of the runner's sandbox image. `provide` starts a build or pull in the background unless
   * the image exists or is being provided; attempts granted after that use it. An image built on
   * another base than `baseImage` is rebuilt; only runners that report a `baseImage` support it.
   */
  'sandbox.image': {
    to: 'runner',
    params: z.object({ provide: z.boolean(), baseImage: BaseImage.optional() }),
    value: SandboxImage,
  },
  /**
   * Sends an operator's request to an agent engine: to the engine of the live attempt that has the
   * thread, otherwise to the runner's operator engine, which is started on demand. Repeating a fork
   * creates another one.
   */
  'engine.request': {
    to: 'runner',
    params: z.object({
      operation: EngineOperation,
      /** Engine, model and provider as a new attempt would get them. */
      engine: EngineSpec,
      image: z.string().optional(),
      /** The provider's key, sealed to this runner as in `granted`. */
      sealedSecrets: z.string().optional(),
      /** Timeout of each request to the engine. */
      requestTimeoutMs: z.int().min(1).max(3_600_000),
    }),
    value: EngineOutcome,
  },
  /**
   * Starts an engine in its own container without a repository, runs one small turn and stops it.
   * Sent only to runners with the feature `engine_test`; others refuse it as an unknown method. One
   * test at a time; each call runs another turn.
   */
  'engine.test': { to: 'runner', params: EngineTestParams, value: EngineTestOutcome },
} as const;

export type CallMethod = keyof typeof Calls;
export type CallParams<M extends CallMethod> = z.infer<(typeof Calls)[M]['params']>;
export type CallValue<M extends CallMethod> = z.infer<(typeof Calls)[M]['value']>;
