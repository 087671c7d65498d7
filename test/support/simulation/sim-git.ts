import type { Random } from './random.ts';
import type { ProcessClock } from './sim-host.ts';

/** A push as the simulated remote saw it. */
export type Push = { atMs: number; repositoryUrl: string; branch: string; commitSha: string };

/** The remote repository all hosts push to. */
export class SimRemote {
  readonly heads = new Map<string, string>();
  readonly pushes: Push[] = [];
  readonly hidden = new Map<string, string>();

  push(push: Push): void {
    this.pushes.push(push);
    this.heads.set(`${push.repositoryUrl} ${push.branch}`, push.commitSha);
  }
}

/** What stands behind the runner's workspace functions in a simulation: passed as `workspaces`. */
export type SimGit = {
  /** Of the process that asks: with it everything it waits for is gone. */
  clock: ProcessClock;
  worldMs: () => number;
  remote: SimRemote;
  random: Random;
  /** Counts commits, so that each snapshot has an id of its own. */
  commits: { count: number };
};

const GIT = new WeakMap<object, SimGit>();

/** Makes the value that a simulated runner passes on as its `workspaces`. */
export function bindGit(git: SimGit): object {
  const handle = {
    git: { run: async () => ({ exitCode: 0, stdout: 'own', stderr: '', timedOut: false, outputExceeded: false }) },
    paths: { root: '/sim', mirrors: '/sim', workspaces: '/sim', records: '/sim', temporary: '/sim' },
    workIdentity: null,
    lock: <T>(_key: string, work: () => Promise<T>) => work(),
  };
  GIT.set(handle, git);
  return handle;
}

export function gitBehind(workspaces: object): SimGit {
  const git = GIT.get(workspaces);
  if (git === undefined) throw new Error('not a simulated workspace');
  return git;
}

export function pause(git: SimGit, lowMs: number, highMs: number): Promise<void> {
  return new Promise((resolve) => git.clock.after(git.random.int(lowMs, highMs), resolve));
}
