import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkspaceFixture } from './workspace-fixture.ts';

/** A repository of its own beside the fixture's remote; answers its newest commit. */
export async function makeRepository(
  { folder, git, write }: WorkspaceFixture,
  name: string,
  files: Readonly<Record<string, string>>,
): Promise<string> {
  const remote = join(folder, `${name}.git`);
  const author = join(folder, `author-of-${name}`);
  git(folder, 'init', '--quiet', '--bare', '--initial-branch=main', remote);
  git(folder, 'init', '--quiet', '--initial-branch=main', author);
  for (const [path, text] of Object.entries(files)) await write(join(author, path), text);
  return commitAs({ folder, git }, name);
}

/** Commits and pushes what stands in the author's clone of a repository of `makeRepository`. */
export function commitAs(
  { folder, git }: Pick<WorkspaceFixture, 'folder' | 'git'>,
  name: string,
  branch = 'main',
): string {
  const author = join(folder, `author-of-${name}`);
  git(author, 'add', '-A');
  git(author, 'commit', '--quiet', '--allow-empty', '-m', `Change ${name}`);
  git(author, 'push', '--quiet', join(folder, `${name}.git`), `HEAD:refs/heads/${branch}`);
  return git(author, 'rev-parse', 'HEAD').trim();
}

type Submodule = { path: string; url: string; commit: string };

/** Commits submodules on the remote's main branch, or in the author's clone of another repository. */
export async function addSubmodules(
  fixture: WorkspaceFixture,
  submodules: readonly Submodule[],
  name?: string,
): Promise<string> {
  const { folder, git } = fixture;
  const author = join(folder, name === undefined ? 'author' : `author-of-${name}`);
  for (const [index, { path, url, commit }] of submodules.entries()) {
    await mkdir(join(author, path), { recursive: true });
    git(author, 'update-index', '--add', '--cacheinfo', `160000,${commit},${path}`);
    git(author, 'config', '-f', '.gitmodules', `submodule.s${index}.path`, path);
    git(author, 'config', '-f', '.gitmodules', `submodule.s${index}.url`, url);
  }
  if (name !== undefined) return commitAs(fixture, name);
  return fixture.commitOnRemote('main', {}, 'Submodules');
}
