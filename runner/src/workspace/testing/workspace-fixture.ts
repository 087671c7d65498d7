import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';
import type { WorkIdentity } from '../../container/container-engine.ts';
import type { Workspaces } from '../open-workspaces.ts';
import { openWorkspaces } from '../open-workspaces.ts';
import { prepareWorkspace } from '../prepare-workspace.ts';
import type { PreparedWorkspace, RepositorySource } from '../workspace.ts';

/** A folder of its own with a bare remote of one commit on `main`, and workspaces beside it. */
export type WorkspaceFixture = {
  folder: string;
  remotePath: string;
  source: RepositorySource;
  workspaces: Workspaces;
  /** git as a developer would run it, in any folder of the fixture. */
  git: Git;
  write: (path: string, text: string) => Promise<void>;
  /** A commit on a branch of the remote, made by somebody else; answers its id. */
  commitOnRemote: (
    branch: string,
    files: Record<string, string>,
    message?: string,
  ) => Promise<string>;
  dispose: () => Promise<void>;
};

type Git = (cwd: string, ...args: string[]) => string;

export const testIdentity = { name: 'Sam Switch', email: 'sam@example.test' };

/** Made once per test file and copied: a dozen git processes per test would be slow. */
let template: Promise<string> | undefined;
afterAll(async () => {
  if (template !== undefined) await rm(await template, { recursive: true, force: true });
});

export async function makeWorkspaceFixture(
  options: { workIdentity?: WorkIdentity } = {},
): Promise<WorkspaceFixture> {
  template ??= makeTemplate();
  const folder = await newFolder();
  await cp(await template, folder, { recursive: true });
  const remotePath = join(folder, 'remote.git');
  const workspaces = await openWorkspaces({
    rootPath: join(folder, 'root'),
    allowFolders: [folder],
    workIdentity: options.workIdentity ?? null,
  });
  return {
    folder,
    remotePath,
    source: { url: `file://${remotePath}` },
    workspaces,
    git: developerGit(folder),
    write,
    commitOnRemote: committer(folder),
    // What a test killed may still finish a file there.
    dispose: () => rm(folder, { recursive: true, force: true, maxRetries: 10 }),
  };
}

async function makeTemplate(): Promise<string> {
  const folder = await newFolder();
  const git = developerGit(folder);
  git(folder, 'init', '--quiet', '--bare', '--initial-branch=main', join(folder, 'remote.git'));
  git(folder, 'init', '--quiet', join(folder, 'author'));
  git(join(folder, 'author'), 'remote', 'add', 'origin', '../remote.git');
  const files = { 'README.md': 'hello\n', 'src/app.txt': 'one\ntwo\nthree\n' };
  await committer(folder)('main', files, 'First');
  return folder;
}

async function newFolder(): Promise<string> {
  return realpath(await mkdtemp(join(tmpdir(), 'swy-workspace-')));
}

function committer(folder: string): WorkspaceFixture['commitOnRemote'] {
  const author = join(folder, 'author');
  const git = developerGit(folder);
  return async (branch, files, message = 'Change') => {
    git(author, 'fetch', '--quiet', 'origin');
    const known = git(author, 'branch', '-r', '--list', `origin/${branch}`).trim() !== '';
    git(author, 'checkout', '--quiet', '-B', branch, ...(known ? [`origin/${branch}`] : []));
    for (const [name, text] of Object.entries(files)) await write(join(author, name), text);
    git(author, 'add', '-A');
    git(author, 'commit', '--quiet', '--allow-empty', '-m', message);
    git(author, 'push', '--quiet', 'origin', branch);
    return git(author, 'rev-parse', 'HEAD').trim();
  };
}

function developerGit(home: string): Git {
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Dev',
    GIT_AUTHOR_EMAIL: 'dev@example.test',
    GIT_COMMITTER_NAME: 'Dev',
    GIT_COMMITTER_EMAIL: 'dev@example.test',
  };
  return (cwd, ...args) => execFileSync('git', args, { cwd, encoding: 'utf8', env, stdio: 'pipe' });
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** The workspace of one issue of the fixture's repository. */
export function prepareFor({ workspaces, source }: WorkspaceFixture): Promise<PreparedWorkspace> {
  const issue = { identifier: 'SY-1', title: 'Fix it' };
  return prepareWorkspace(workspaces, { issue, source, identity: testIdentity, nowMs: 1 });
}
