import { repositorySource } from '../../workspace/repository-source.ts';
import type { ProxyAccess } from '../../container/container-engine.ts';
import { adoptClone } from '../../workspace/adopt-clone.ts';
import { clonesIntoWorkspace } from '../../workspace/clones-into-workspace.ts';
import { rememberHooksTree } from '../../workspace/hooks-tree.ts';
import { type HookResult, runCreationHook, runHook } from '../../workspace/hooks.ts';
import { parseRepositoryUrl } from '../../workspace/git/repository-url.ts';
import { serveMirror } from '../../workspace/mirror/serve-mirror.ts';
import type { CommitIdentity, PreparedWorkspace } from '../../workspace/workspace.ts';
import { workspaceKeyOf } from '@switchyard/shared/protocol/workspace-key';
import type { AttemptContext, ProxyGrant } from '../attempt-deps.ts';
import { excludeArtifacts } from '../artifacts/exclude-artifacts.ts';
import { AttemptFailed, failureOfStep } from '../attempt-end.ts';
import type { HookAdditions } from '../companions/companion.ts';
import type { Companions } from '../companions/companions.ts';
import { fetchReviewed } from '../reads/fetch-reviewed.ts';
import { putBackRead, rememberRead } from '../reads/put-back-read.ts';
import { standAtReviewed } from '../reads/stand-at-reviewed.ts';
import { restoreWork } from '../session/restore-work.ts';
import { prepareLfs } from '../lfs/prepare-lfs.ts';
import { reportFetch } from './report-fetch.ts';
import { runInWorkspaceOf } from '../mounts/workspace-mounts.ts';

/** Who commits. Throws when signing is required and this host has no key for it. */
export function identityOf(context: AttemptContext): CommitIdentity {
  const { name, email, sign } = context.spec.commit;
  if (!sign) return { name, email };
  const { signingKeyPath } = context.deps.settings;
  if (signingKeyPath === undefined) {
    throw new AttemptFailed(
      'workspace_error',
      'commits are to be signed and this runner has no key; start it with --signing-key',
      { reasonCode: 'signing_key_missing' },
    );
  }
  return { name, email, signingKeyPath };
}

/** Environment about its attempt for a hook or check. */
export function hookEnv(
  context: AttemptContext,
  workspace: PreparedWorkspace,
): Record<string, string> {
  return {
    SWITCHYARD_ISSUE: context.spec.issue.identifier,
    SWITCHYARD_ATTEMPT: String(context.spec.number),
    SWITCHYARD_BRANCH: workspace.branch,
    SWITCHYARD_WORKSPACE: workspace.path,
  };
}

/** Prepares the issue's workspace, then runs after_create (new ones only) and before_run. */
export async function prepareStep(
  context: AttemptContext,
  grant: ProxyGrant,
  companions: Pick<Companions, 'aroundCreationHook'>,
): Promise<PreparedWorkspace> {
  const { spec, deps, recorder, control } = context;
  const startedMs = deps.clock.monotonicMs();
  await recorder.phase('workspace');
  let stopTelling: (() => void) | undefined;
  try {
    const source = repositorySource(spec.repository);
    const key = workspaceKeyOf(spec);
    const identity = identityOf(context);
    stopTelling = reportFetch(context, source);
    const reviewed = spec.review?.expectedCommit;
    const startCommit =
      reviewed === undefined
        ? await restoreWork(context, source)
        : await fetchReviewed(context, source, reviewed);
    const workspace = await deps.workspaces.prepare({
      issue: spec.issue,
      key,
      source,
      identity,
      ...(startCommit === undefined ? {} : { startCommit }),
      ...(spec.branch === undefined ? {} : { branch: spec.branch }),
      hasCreationHook: spec.hooks.afterCreate !== undefined,
      isForReview: reviewed !== undefined,
      hookClones: clonesIntoWorkspace(spec.hooks.afterCreate ?? ''),
      ...(spec.repository.sparsePaths === undefined
        ? {}
        : { sparsePaths: spec.repository.sparsePaths }),
      ...(spec.repository.submodules === undefined
        ? {}
        : { namedSubmodules: spec.repository.submodules }),
      nowMs: deps.clock.nowMs(),
      owner: deps.containers.workIdentity,
      signal: control.signal,
    });
    control.check();
    const { path, objectsPath, mirrorPath, branch, baseBranch, baseCommit, created } = workspace;
    const { submoduleObjects } = workspace;
    recorder.progress({
      workspacePath: path,
      objectsPath,
      mirrorPath,
      branch,
      baseBranch,
      baseCommit,
      ...(submoduleObjects === undefined ? {} : { submoduleObjects }),
    });
    const durationMs = Math.round(deps.clock.monotonicMs() - startedMs);
    await recorder.event('workspace', {
      key,
      path,
      branch,
      baseBranch,
      baseCommit,
      created,
      durationMs,
    });
    const notices = [...(workspace.notices ?? []), ...(await putBackRead(context, workspace))];
    const isBaseBranch = created && startCommit === undefined;
    await runStartHooks(context, workspace, {
      grant,
      companions,
      isBaseBranch,
      whenCloned: async () => {
        await excludeArtifacts(context, workspace);
        if (reviewed !== undefined) await standAtReviewed(context, workspace, reviewed);
        notices.push(...(await prepareLfs(context, workspace, identity)));
      },
    });
    const { afterCreate, beforeRun } = spec.hooks;
    if (created && (afterCreate ?? beforeRun) !== undefined) {
      const run = runInWorkspaceOf(context, workspace, control.signal);
      await rememberHooksTree(deps.workspaces, run, { workspace, identity, isBaseBranch });
    }
    notices.push(...(await rememberRead(context, workspace)));
    for (const message of notices) await recorder.event('notice', { level: 'warning', message });
    return { ...workspace, notices };
  } catch (error) {
    control.check();
    throw failureOfStep(error, 'workspace_error');
  } finally {
    stopTelling?.();
  }
}

/** Runs the hooks with the attempt's network access, since they install what the work needs. */
async function runStartHooks(
  context: AttemptContext,
  workspace: PreparedWorkspace,
  given: {
    grant: ProxyGrant;
    companions: Pick<Companions, 'aroundCreationHook'>;
    isBaseBranch: boolean;
    /** Called in the clone: before the hooks, or after the hook that makes the clone itself. */
    whenCloned: () => Promise<void>;
  },
): Promise<void> {
  const { spec, deps, recorder, control } = context;
  const { companions, isBaseBranch, whenCloned } = given;
  const { access, env = {} } = given.grant;
  if (workspace.toClone === undefined) await whenCloned();
  const proxy = Object.keys(env).length === 0 ? undefined : access;
  const run = runInWorkspaceOf(context, workspace, control.signal, { proxy });
  const common = {
    timeoutMs: spec.limits.hookMs,
    env: { ...env, ...hookEnv(context, workspace) },
  };
  const { afterCreate, beforeRun } = spec.hooks;
  if (workspace.created && afterCreate !== undefined) {
    const hook = { workspace, script: afterCreate, ...common };
    const result = await companions.aroundCreationHook({ isBaseBranch }, (additions) =>
      workspace.toClone === undefined
        ? runCreationHook(
            deps.workspaces,
            runInWorkspaceOf(context, workspace, control.signal, {
              proxy,
              moreMounts: additions.mounts,
            }),
            { ...hook, env: { ...common.env, ...additions.env } },
          )
        : runCloningHook(context, {
            ...hook,
            workspace,
            toClone: workspace.toClone,
            additions,
            proxy,
          }),
    );
    await recorder.log('hook', `after_create: ${result.output}`);
  }
  if (workspace.toClone !== undefined) await whenCloned();
  control.check();
  if (beforeRun === undefined) return;
  const result = await runHook(run, { name: 'before_run', script: beforeRun, ...common });
  await recorder.log('hook', `before_run: ${result.output}`);
  control.check();
}

/**
 * Runs a hook that clones into the workspace itself; it gets the repository from the local mirror.
 */
async function runCloningHook(
  context: AttemptContext,
  given: {
    workspace: PreparedWorkspace;
    toClone: { startCommit: string };
    script: string;
    timeoutMs: number;
    env: Readonly<Record<string, string>>;
    additions: HookAdditions;
    proxy: ProxyAccess | undefined;
  },
): Promise<HookResult> {
  const { workspace, toClone, script, timeoutMs, env, additions, proxy } = given;
  const { deps, control, spec } = context;
  const { url } = parseRepositoryUrl(spec.repository.url);
  const served = await serveMirror(deps.workspaces, workspace, url);
  const mount = { hostPath: served.path, containerPath: served.path, readOnly: true };
  const moreMounts = [...additions.mounts, mount];
  const signal = control.signal;
  const identity = identityOf(context);
  const inside = runInWorkspaceOf(context, workspace, signal);
  const adopted = { workspace: { ...workspace, toClone }, repositoryUrl: url, identity };
  try {
    return await runCreationHook(
      deps.workspaces,
      runInWorkspaceOf(context, workspace, signal, { proxy, moreMounts }),
      {
        workspace,
        script,
        timeoutMs,
        env: { ...env, ...additions.env, ...served.env },
        adopt: () => adoptClone(inside, adopted),
      },
    );
  } finally {
    await served.remove();
  }
}

/** Runs after_run; its failure is only recorded and never changes how an attempt ends. */
export async function afterRunStep(
  context: AttemptContext,
  workspace: PreparedWorkspace,
): Promise<void> {
  const script = context.spec.hooks.afterRun;
  if (script === undefined) return;
  const result = await runHook(runInWorkspaceOf(context, workspace, context.control.signal), {
    name: 'after_run',
    script,
    timeoutMs: context.spec.limits.hookMs,
    env: hookEnv(context, workspace),
  });
  const failure = result.failure === null ? '' : ` ${result.failure}`;
  await context.recorder.log('hook', `after_run:${failure} ${result.output}`);
}
