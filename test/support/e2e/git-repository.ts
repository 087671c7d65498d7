import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const TIMEOUT_MS = 20_000;
const IDENTITY = ['-c', 'user.name=Test', '-c', 'user.email=test@example.invalid'];

/** A bare repository, as a code host would have it. */
export type GitRepository = {
  path: string;
  url: string;
  /** Runs git in the bare repository and answers its trimmed standard output. */
  git(...args: string[]): Promise<string>;
};

export type RepositoryContent = {
  files: Readonly<Record<string, string>>;
  /** Target by path of the link. */
  links?: Readonly<Record<string, string>>;
};

/** Makes a bare repository `name.git` in `folder` whose main branch holds one commit. */
export async function makeRepository(
  folder: string,
  name: string,
  content: RepositoryContent,
): Promise<GitRepository> {
  const work = join(folder, `${name}-work`);
  const path = join(folder, `${name}.git`);
  await mkdir(work, { recursive: true });
  await git('init', '--quiet', '--initial-branch=main', work);
  for (const [file, text] of Object.entries(content.files)) {
    await mkdir(dirname(join(work, file)), { recursive: true });
    await writeFile(join(work, file), text);
  }
  for (const [link, target] of Object.entries(content.links ?? {})) {
    await symlink(target, join(work, link));
  }
  await git('-C', work, 'add', '-A');
  await git('-C', work, ...IDENTITY, 'commit', '--quiet', '-m', 'First commit');
  await git('clone', '--quiet', '--bare', work, path);
  return bareRepository(path);
}

/** A bare repository that is there already. */
export function bareRepository(path: string): GitRepository {
  return { path, url: `file://${path}`, git: (...args) => git('-C', path, ...args) };
}

async function git(...args: string[]): Promise<string> {
  const env = { ...process.env, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };
  const { stdout } = await run('git', args, { timeout: TIMEOUT_MS, env });
  return stdout.trim();
}
