import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { ownFreshTree } from '../disk/own-tree.ts';
import { TRANSFER_LIMITS } from '../git/git-limits.ts';
import type { Workspaces } from '../open-workspaces.ts';
import { cloneConfigText } from './clone-config-text.ts';
import type { ClonePlan } from './clone-plan.ts';
import { initClone } from './init-clone.ts';
import { sparseText } from './sparse-text.ts';
import { snapshotOfWarmCheckout } from './snapshot-of-warm-checkout.ts';

const TIMEOUT_MS = 10 * 60_000;
const MAX_WORKERS = 8;

/** Concurrent checkouts of this process. */
let checkouts = 0;

/**
 * Creates a clone with only the base branch: every borrowed object is then reachable from refs that
 * are kept here, whatever the remote deletes. Origin is the remote, not a path on this host. Only
 * objects of the mirror are read, so that a fetch may move its refs concurrently. Where the file
 * system supports snapshots, files come from a prepared checkout. Throws WorkspaceError.
 */
export async function makeClone(workspaces: Workspaces, plan: ClonePlan): Promise<void> {
  const { draft, head, branch, startCommit, owner } = plan;
  const warm = await snapshotOfWarmCheckout(workspaces, plan, (path) =>
    checkOut(workspaces, plan, { path, args: ['--force', '--detach', head, '--'] }),
  );
  if (!warm) await initClone(workspaces, draft, plan.signal);
  await describeClone(plan);
  if (!warm || startCommit !== head) {
    const args = ['--no-track', '-B', branch, startCommit, '--'];
    await checkOut(workspaces, plan, { path: draft, args });
    // Files written here belong to the runner; those of a snapshot already have their owner.
    await ownFreshTree(draft, owner);
    return;
  }
  const gitFolder = join(draft, '.git');
  await appendFile(join(gitFolder, 'packed-refs'), `${startCommit} refs/heads/${branch}\n`);
  await writeFile(join(gitFolder, 'HEAD'), `ref: refs/heads/${branch}\n`);
  await ownFreshTree(gitFolder, owner);
}

async function describeClone(plan: ClonePlan): Promise<void> {
  const { draft, mirror, baseBranch, head } = plan;
  const gitFolder = join(draft, '.git');
  await appendFile(join(gitFolder, 'config'), cloneConfigText(plan));
  const files = {
    HEAD: `ref: refs/heads/${baseBranch}\n`,
    'packed-refs': `${head} refs/heads/${baseBranch}\n${head} refs/remotes/origin/${baseBranch}\n`,
    'refs/remotes/origin/HEAD': `ref: refs/remotes/origin/${baseBranch}\n`,
    'objects/info/alternates': `${mirror.objectsPath}\n`,
    ...(plan.sparsePaths === undefined
      ? {}
      : { 'info/sparse-checkout': sparseText(plan.sparsePaths) }),
  };
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(gitFolder, name)), { recursive: true });
    await writeFile(join(gitFolder, name), text);
  }
}

/** Writes the files of a commit into a clone that no agent has seen. */
export async function checkOut(
  workspaces: Workspaces,
  { signal }: Pick<ClonePlan, 'signal'>,
  { path, args }: { path: string; args: readonly string[] },
): Promise<void> {
  const inClone = [`--git-dir=${join(path, '.git')}`, `--work-tree=${path}`];
  checkouts += 1;
  try {
    const workers = `checkout.workers=${workersFor(checkouts)}`;
    await workspaces.git.run({
      args: ['-c', workers, ...inClone, 'checkout', '--quiet', ...args],
      purpose: 'checkout',
      timeoutMs: TIMEOUT_MS,
      limits: TRANSFER_LIMITS,
      ...(signal === undefined ? {} : { signal }),
    });
  } finally {
    checkouts -= 1;
  }
}

/**
 * Number of checkout workers: several help one checkout on an idle machine, but concurrent
 * checkouts share the cores equally.
 */
function workersFor(running: number): number {
  return Math.max(1, Math.min(MAX_WORKERS, Math.floor(availableParallelism() / running)));
}
