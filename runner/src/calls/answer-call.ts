import { basename } from 'node:path';
import { Calls } from '@switchyard/shared/protocol/calls';
import type { CallMethod, CallParams, CallValue } from '@switchyard/shared/protocol/calls';
import { cutText } from '@switchyard/shared/text/cut-text';
import { type AnswerCall, CallError } from '../connection/calls.ts';
import { pinnedEngine } from '../container/switching-engine.ts';
import { BaseRefused } from '../container/docker/image/image-supply.ts';
import { diffBranches } from '../workspace/branches/diff-branches.ts';
import { gitContext } from '../workspace/branches/git-context.ts';
import { listWorkspaces } from '../workspace/list-workspaces.ts';
import { mergeBranch } from '../workspace/branches/merge-branch.ts';
import { createWorkspacePort } from '../workspace/workspace-port.ts';
import type { CallDeps } from './call-deps.ts';
import { publishBranch } from './publish-branch.ts';
import { repositorySource } from '../workspace/repository-source.ts';
import { removeIdleWorkspace } from './remove-idle-workspace.ts';
import { addressOfPath } from '../workspace/git/repository-url.ts';

/** How long a remote may take before the mirror's former state is returned. */
const FETCH_WAIT_MS = 4_000;
/** How long a list waits for measurements, which continue for the next one. */
const MEASURE_WAIT_MS = 1_500;
/** Committer of merges, which belong to no attempt. */
const MERGE_IDENTITY = { name: 'Switchyard', email: 'switchyard@localhost' };

type RunnerMethod = {
  [M in CallMethod]: (typeof Calls)[M]['to'] extends 'runner' ? M : never;
}[CallMethod];
type Handlers = {
  [M in RunnerMethod]: (
    deps: CallDeps,
    params: CallParams<M>,
    signal: AbortSignal,
  ) => Promise<CallValue<M>>;
};

const HANDLERS: Handlers = {
  'pull_request.merge': async ({ workspaces }, params) => {
    const { repository, branch, baseBranch, expectedCommit, message } = params;
    const { mergeCommit } = await mergeBranch(workspaces, {
      source: repositorySource(repository),
      base: baseBranch,
      branch,
      message,
      identity: MERGE_IDENTITY,
      expectedSha: expectedCommit,
    });
    return { mergeCommit };
  },
  'git.diff': async ({ workspaces }, { repository, base, head }) => {
    const { diff, diffTruncated } = await diffBranches(workspaces, {
      source: repositorySource(repository),
      base,
      branch: head,
    });
    return { diff, truncated: diffTruncated };
  },
  'git.context': async ({ workspaces }, { repository }, signal) => {
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(FETCH_WAIT_MS)]);
    const source = repositorySource(repository);
    const { head, branches, remotes, stale, hindrance } = await gitContext(
      workspaces,
      source,
      inTime,
    );
    return {
      ...(hindrance === null ? {} : { hindrance }),
      ...(stale === null ? {} : { stale }),
      head,
      branches: branches.map(({ name }) => name),
      remotes: remotes.map(({ url }) => url),
    };
  },
  'repository.address': async (_deps, { path }) => ({ url: addressOfPath(path) }),
  'turn.steer': async ({ attempts }, { attemptId, epoch, messageId, text }) => ({
    delivered: await attempts.steer({ attemptId, epoch }, { messageId, text }),
  }),
  'branch.publish': ({ workspaces }, params) =>
    publishBranch(createWorkspacePort(workspaces), params),
  'workspaces.list': async ({ workspaces, attempts, usages, sandbox }) => {
    const endMs = performance.now() + MEASURE_WAIT_MS;
    const inUse = attempts.workspacesInUse();
    // With isolation only a container of the agents' own kind reads where they write.
    const areShut = pinnedEngine(sandbox.containers).converse !== undefined;
    const listed = await listWorkspaces(workspaces, async (path) =>
      areShut && inUse.has(basename(path))
        ? usages.known(path)
        : usages.usage(path, endMs - performance.now()),
    );
    usages.keepOnly(new Set(listed.map(({ path }) => path)));
    return {
      workspaces: listed.map(({ key, path, identifier, diskBytes, lastModifiedMs, complete }) => ({
        key,
        path,
        identifier,
        diskBytes,
        complete,
        lastModifiedAtMs: lastModifiedMs,
        inUse: inUse.has(key),
      })),
    };
  },
  'workspace.remove': (deps, params, signal) => removeIdleWorkspace(deps, params, signal),
  'sandbox.image': async ({ sandbox: { imageSupply } }, { provide, baseImage }) => {
    if (imageSupply === undefined)
      throw new CallError('UNSUPPORTED', 'this runner has no sandbox image');
    if (!provide) return imageSupply.status();
    try {
      return await imageSupply.begin({ baseImage });
    } catch (error) {
      throw error instanceof BaseRefused ? new CallError('BASE_REFUSED', error.message) : error;
    }
  },
  'engine.request': ({ operator }, params, signal) => operator.answer(params, signal),
  'engine.test': ({ operator }, params, signal) => operator.testTurn(params, signal),
};

function isRunnerMethod(method: string): method is RunnerMethod {
  return Object.hasOwn(HANDLERS, method);
}

/**
 * Answers the control plane's calls to a runner. All are idempotent but `engine.test` and a few
 * operations of `engine.request`, such as a fork.
 */
export function createAnswerCall(deps: CallDeps): AnswerCall {
  return async (method, params, signal) => {
    if (!isRunnerMethod(method))
      throw new CallError('UNSUPPORTED', `this runner does not know ${cutText(method, 64)}`);
    return await answer(deps, method, params, signal);
  };
}

async function answer<M extends RunnerMethod>(
  deps: CallDeps,
  method: M,
  params: unknown,
  signal: AbortSignal,
): Promise<CallValue<M>> {
  const parsed = Calls[method].params.safeParse(params);
  if (!parsed.success) {
    throw new CallError(
      'MALFORMED',
      `${method}: ${parsed.error.issues[0]?.message ?? 'malformed params'}`,
    );
  }
  return await HANDLERS[method](deps, parsed.data as CallParams<M>, signal);
}
