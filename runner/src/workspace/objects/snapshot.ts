import { cutText } from '@switchyard/shared/text/cut-text';
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandResult } from '../../container/container-engine.ts';
import { diffCommits } from './diff-commits.ts';
import { failureOfGit } from './fault-of-work.ts';
import { lastMessage } from '../git/git.ts';
import { findMarkers } from './find-markers.ts';
import { importBundle } from './import-bundle.ts';
import type { Workspaces } from '../open-workspaces.ts';
import { signCommits } from './sign-commits.ts';
import {
  FINDING_MARK,
  type Findings,
  MAX_PROBLEMS,
  readFindings,
  withoutFindings,
} from './read-findings.ts';
import { readShellProgram } from '../../shell/read-shell-program.ts';
import type {
  CommitIdentity,
  LeftAside,
  PreparedWorkspace,
  RunInWorkspace,
  Snapshot,
} from '../workspace.ts';
import { WorkspaceError } from '../workspace.ts';
import { refComponent } from '../ref-component.ts';

export type SnapshotInput = {
  workspace: PreparedWorkspace;
  attemptId: string;
  identity: CommitIdentity;
  /** Commit message for uncommitted changes of the agent. */
  message: string;
  /** False while the agent still works: its lock files are then left alone. */
  agentStopped: boolean;
  /** Default 5 min. */
  timeoutMs?: number;
  /** Size limit of the bundle. Default 256 MiB. */
  maxBundleBytes?: number;
  /** Default 1 MiB. */
  maxDiffBytes?: number;
};

const PROGRAM = readShellProgram(new URL('./shell/snapshot.sh', import.meta.url));
/** Exit codes of the script. */
const EXIT = {
  bundled: 0,
  noDifference: 20,
  notARepository: 21,
  baseMissing: 22,
  commitFailed: 23,
  bundleFailed: 24,
};
const TIMEOUT_MS = 5 * 60_000;
const MAX_BUNDLE_BYTES = 256 * 1024 * 1024;
const MAX_DIFF_BYTES = 1024 * 1024;
const MAX_MESSAGE_CHARACTERS = 16_000;

/** Ref in the mirror that keeps the last snapshot of an attempt. */
export function attemptRef(attemptId: string): string {
  return `refs/switchyard/attempts/${refComponent(attemptId)}`;
}

/** Prefix of refs in the mirror with undelivered work of an attempt. */
function asideRefs(attemptId: string): string {
  return `refs/switchyard/aside/${refComponent(attemptId)}`;
}

/**
 * Commits uncommitted changes inside the workspace's isolation, imports everything beyond the base
 * into the mirror and compares it there; work outside the delivered commit is kept under hidden
 * refs. What git cannot add is left out and listed in `problems`. Throws `workspace_unusable` (.git
 * destroyed, base lost), `snapshot_too_large`, `limit_exceeded`, `snapshot_refused` or
 * `git_failed`; `isFaultOfWork` tells them apart.
 */
export async function takeSnapshot(
  workspaces: Workspaces,
  runInWorkspace: RunInWorkspace,
  input: SnapshotInput,
): Promise<Snapshot> {
  const { mirrorPath, baseCommit } = input.workspace;
  const nonce = randomBytes(8).toString('hex');
  const bundlePath = join(workspaces.paths.temporary, `snapshot-${nonce}.bundle`);
  const sourceRefs = `refs/switchyard/snapshot-${nonce}`;
  try {
    const result = await runInWorkspace(snapshotCommand(input, sourceRefs, bundlePath));
    const findings = readFindings(result.stderr);
    const { unclear } = findings;
    const none = { ...NO_DIFFERENCE, problems: findings.problems, unclear, aside: [] };
    if (!bundleWasMade(result, input)) return none;
    const bundle = { bundlePath, sourceRefs, findings };
    const { tip, commitSha, aside } = await workspaces.lock(attemptRef(input.attemptId), () =>
      importWork(workspaces, input, bundle),
    );
    if (tip === null || commitSha === null) return { ...none, aside };
    const markers = await findMarkers(workspaces, runInWorkspace, {
      workspace: input.workspace,
      tip,
      timeoutMs: input.timeoutMs ?? TIMEOUT_MS,
      env: snapshotEnvironment(input.workspace.path, input.identity),
    });
    const problems = [...findings.problems, ...markers].slice(0, MAX_PROBLEMS);
    const maxBytes = input.maxDiffBytes ?? MAX_DIFF_BYTES;
    const range = { mirrorPath, from: baseCommit, to: commitSha, maxBytes };
    return { commitSha, ...(await diffCommits(workspaces, range)), problems, unclear, aside };
  } finally {
    await rm(bundlePath, { force: true });
  }
}

export const NO_DIFFERENCE = {
  commitSha: null,
  diff: '',
  diffTruncated: false,
  diffStat: { files: 0, insertions: 0, deletions: 0 },
};

/** Imports `tip`, the commit to deliver, signed if configured, and other commits of the agent. */
async function importWork(
  workspaces: Workspaces,
  input: SnapshotInput,
  bundle: { bundlePath: string; sourceRefs: string; findings: Findings },
): Promise<{ tip: string | null; commitSha: string | null; aside: LeftAside[] }> {
  const { mirrorPath, baseCommit } = input.workspace;
  const { bundlePath, sourceRefs } = bundle;
  const targetRef = attemptRef(input.attemptId);
  const keptAs = (commit: string): string => `${asideRefs(input.attemptId)}/${commit}`;
  const refs = await importBundle(workspaces, {
    mirrorPath,
    bundlePath,
    targetOf: (ref, commit) => {
      if (ref === `${sourceRefs}/tip`) return targetRef;
      return ref.startsWith(`${sourceRefs}/aside-`) ? keptAs(commit) : null;
    },
  });
  const kept = new Set(refs.values());
  const aside = bundle.findings.aside
    .filter(({ commitSha }) => kept.has(commitSha))
    .map((one) => ({ ...one, keptAs: keptAs(one.commitSha) }));
  const commit = refs.get(`${sourceRefs}/tip`);
  if (commit === undefined) return { tip: null, commitSha: null, aside };
  const { identity } = input;
  const signing = { mirrorPath, baseCommit, commit, identity, targetRef };
  return { tip: commit, commitSha: await signCommits(workspaces, signing), aside };
}

function snapshotCommand(
  input: SnapshotInput,
  sourceRefs: string,
  stdoutFile: string,
): Parameters<RunInWorkspace>[0] {
  const { path, baseCommit, branch } = input.workspace;
  const message = cutText(input.message.replaceAll('\0', ''), MAX_MESSAGE_CHARACTERS).trim();
  const stopped = input.agentStopped ? 'yes' : 'no';
  return {
    purpose: 'snapshot',
    argv: [
      'sh',
      '-c',
      PROGRAM,
      'snapshot',
      path,
      baseCommit,
      branch,
      sourceRefs,
      message || 'Work in progress',
      FINDING_MARK,
      stopped,
    ],
    env: snapshotEnvironment(path, input.identity),
    timeoutMs: input.timeoutMs ?? TIMEOUT_MS,
    maxOutputBytes: input.maxBundleBytes ?? MAX_BUNDLE_BYTES,
    stdoutFile,
  };
}

/**
 * Environment of git where an agent may have written the configuration: hooks, fsmonitor,
 * signatures and gc are off, and no object is fetched, because remotes name programs too. Filters
 * run: without them work would be committed in another form, such as unencrypted.
 */
export function snapshotEnvironment(
  path: string,
  identity: CommitIdentity,
): Record<string, string> {
  const config = [
    ['core.hooksPath', '/dev/null'],
    ['core.fsmonitor', 'false'],
    ['core.bare', 'false'],
    ['commit.gpgSign', 'false'],
    ['log.showSignature', 'false'],
    ['gc.auto', '0'],
    ['advice.addEmbeddedRepo', 'false'],
    ['safe.directory', '*'],
  ].flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key ?? ''],
    [`GIT_CONFIG_VALUE_${index}`, value ?? ''],
  ]);
  return {
    ...Object.fromEntries(config),
    GIT_CONFIG_COUNT: String(config.length / 2),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_DIR: join(path, '.git'),
    GIT_WORK_TREE: path,
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_NO_LAZY_FETCH: '1',
    // For a git version without the previous setting: no protocol has this name.
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_TERMINAL_PROMPT: '0',
    LC_ALL: 'C',
    GIT_AUTHOR_NAME: identity.name,
    GIT_AUTHOR_EMAIL: identity.email,
    GIT_COMMITTER_NAME: identity.name,
    GIT_COMMITTER_EMAIL: identity.email,
  };
}

function bundleWasMade(result: CommandResult, input: SnapshotInput): boolean {
  const message = lastMessage(withoutFindings(result.stderr));
  const withMessage = (why: string): string => (message === '' ? why : `${why}: ${message}`);
  const fail = (code: WorkspaceError['code'], why: string): never => {
    throw new WorkspaceError(code, withMessage(why));
  };
  if (result.outputExceeded) {
    const limit = Math.round((input.maxBundleBytes ?? MAX_BUNDLE_BYTES) / 1024 / 1024);
    return fail('snapshot_too_large', `the work is larger than ${limit} MiB`);
  }
  if (result.timedOut) return fail('git_failed', 'collecting the work took too long');
  switch (result.exitCode) {
    case EXIT.bundled:
      return true;
    case EXIT.noDifference:
      return false;
    case EXIT.notARepository:
      return fail('workspace_unusable', "the workspace's .git is no longer a usable repository");
    case EXIT.baseMissing:
      return fail('workspace_unusable', 'the workspace no longer knows the commit it began from');
    case EXIT.commitFailed:
      throw failureOfGit(withMessage('the changes could not be committed'));
    case EXIT.bundleFailed:
      throw failureOfGit(withMessage('the commits could not be read'));
    default:
      return fail('git_failed', `collecting the work failed with exit code ${result.exitCode}`);
  }
}
