import { z } from 'zod';
import { EngineSpec, OwnCommits, RepositorySpec } from './attempt-spec.ts';
import { BaseImage, SandboxImage } from '../sandbox/sandbox-image.ts';
import { EngineOperation, EngineOutcome } from './engine-operations.ts';
import { EngineTestOutcome, EngineTestParams } from './engine-test.ts';
import { GitHindrance } from '../api/git-hindrance.ts';
import { MAX_TOOL_ANSWER_CHARS } from './limits.ts';

/** The furthest instant that a date can be. */
const MAX_DATE_MS = 8.64e15;

/**
 * Methods of `call`, their params and values. `to` names who answers. At most once: a caller that
 * gets no answer in time must be able to ask again, so every method is idempotent but `tool.call` and `engine.test`.
 */
export const Calls = {
  /** Asked before a push, under the attempt's epoch: may this branch move to this commit? */
  'push.permit': {
    to: 'control-plane',
    params: z.object({ branch: z.string(), commitSha: z.string(), repositoryUrl: z.string() }),
    value: z.object({ allowed: z.boolean(), reason: z.string().optional() }),
  },
  /**
   * Asked right before git reaches a remote. `sealed`: a compact JWE to the runner's sealing key with
   * `{username, password}`; null: this remote needs none of ours. Kept in memory only.
   */
  'git.credentials': {
    to: 'control-plane',
    params: z.object({ repositoryUrl: z.string().max(2048) }),
    value: z.object({
      sealed: z.string().nullable(),
      /** Milliseconds for which it may be used again; 0: ask every time. */
      reusableMs: z.int().min(0),
    }),
  },
  /**
   * A call of a tool that the attempt's spec offers, under its epoch. The one method that a caller
   * must not repeat by itself: the agent learns that its call may have taken effect.
   */
  'tool.call': {
    to: 'control-plane',
    params: z.object({ tool: z.string().max(64), arguments: z.unknown() }),
    value: z.object({
      /** False: refused or failed; the text says why and what to do. */
      success: z.boolean(),
      text: z.string().max(MAX_TOOL_ANSWER_CHARS),
    }),
  },
  /** Merges a pull request's branch into its base in the mirror and pushes the base. */
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
   * Moves a branch of ours to a commit that the mirror keeps of an attempt, or that the issue's
   * work-in-progress ref holds, so that people see it.
   */
  'branch.publish': {
    to: 'runner',
    params: z.object({
      repository: RepositorySpec,
      /** Hidden ref that holds the commit. */
      ref: z.string(),
      commitSha: z.string(),
      branch: z.string(),
      /** The only ones that the branch may lose; absent from an older control plane. */
      ownCommits: OwnCommits.optional(),
      /** The work is over with it: the hidden ref goes, as far as the branch has what it holds. */
      isDelivered: z.boolean().optional(),
      /** Branch that the work is meant for, to learn whether the remote still has it. */
      baseBranch: z.string().optional(),
    }),
    value: z.object({
      pushed: z.boolean(),
      /** The remote's default branch, or the one that the route configures. */
      baseBranch: z.string(),
      /** True: the remote has no branch of the name that was asked about. */
      baseIsGone: z.boolean().optional(),
    }),
  },
  /**
   * Puts a person's words into the live turn of an attempt. False: not now; the caller repeats them
   * as `steer`, under the same message id, and they are handed over once.
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
      /** Why this is how the mirror stood earlier; left out when it was just fetched. */
      stale: z.string().optional(),
      remotes: z.array(z.string()),
      /** Of a repository on the runner's own host; left out: nothing is known, or an older runner. */
      hindrance: GitHindrance.optional(),
    }),
  },
  /**
   * The address of a repository that a person named by a path of the runner's host, which may begin
   * with `~/`. Only names are looked at; older runners refuse it as a method that they do not know.
   */
  'repository.address': {
    to: 'runner',
    params: z.object({ path: z.string().min(1).max(2048) }),
    value: z.object({ url: z.string().max(4096) }),
  },
  /** Every workspace this runner made and still has. */
  'workspaces.list': {
    to: 'runner',
    params: z.object({}),
    value: z.object({
      workspaces: z.array(
        z.object({
          key: z.string(),
          path: z.string(),
          identifier: z.string(),
          /** At least this much: of very large ones only a part is counted. */
          diskBytes: z.number().min(0).max(Number.MAX_SAFE_INTEGER),
          /** False or left out: only a part is counted, or nothing yet. */
          complete: z.boolean().optional(),
          /** Epoch milliseconds of the newest change that was seen. */
          lastModifiedAtMs: z.number().min(0).max(MAX_DATE_MS),
          /** An attempt holds it now. */
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
   * How the runner's sandbox image stands. `provide` has it built or pulled beside the work first,
   * unless it is there or on its way; attempts that are granted once it is there run in it. One that
   * stands on another image than `baseImage` is built anew; only a runner whose answers tell a
   * `baseImage` knows it.
   */
  'sandbox.image': {
    to: 'runner',
    params: z.object({ provide: z.boolean(), baseImage: BaseImage.optional() }),
    value: SandboxImage,
  },
  /**
   * Asks the agent engine on behalf of an operator: the engine of the live attempt whose thread it
   * is about, else the runner's operator engine, which starts when it is needed. A fork that is asked for again is another.
   */
  'engine.request': {
    to: 'runner',
    params: z.object({
      operation: EngineOperation,
      /** Engine, model and provider as an attempt would get them now. */
      engine: EngineSpec,
      image: z.string().optional(),
      /** The provider's key, sealed to this runner as in `granted`. */
      sealedSecrets: z.string().optional(),
      /** For each request to the engine. */
      requestTimeoutMs: z.int().min(1).max(3_600_000),
    }),
    value: EngineOutcome,
  },
  /**
   * Starts an engine in a container of its own, without a repository, has it answer one small turn
   * and ends it. Asked only of runners that name the feature `engine_test`; others refuse it as a
   * method that they do not know. One at a time; each call is another turn.
   */
  'engine.test': { to: 'runner', params: EngineTestParams, value: EngineTestOutcome },
} as const;

export type CallMethod = keyof typeof Calls;
export type CallParams<M extends CallMethod> = z.infer<(typeof Calls)[M]['params']>;
export type CallValue<M extends CallMethod> = z.infer<(typeof Calls)[M]['value']>;
