import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { failingTestProject } from '../../scripted-provider/failing-test-project.ts';

const run = promisify(execFile);
const GIT_TIMEOUT_MS = 20_000;
const AUTHOR = [
  '-c',
  'user.name=Demo',
  '-c',
  'user.email=demo@localhost',
  '-c',
  'commit.gpgsign=false',
];

/** Creates a bare repository with the small project whose test fails. Returns its path. */
export async function makeDemoRepository(folder: string): Promise<string> {
  const bare = join(folder, 'tidy-durations.git');
  const work = join(folder, 'work');
  mkdirSync(work, { recursive: true });
  for (const [path, text] of Object.entries(failingTestProject)) {
    mkdirSync(dirname(join(work, path)), { recursive: true });
    writeFileSync(join(work, path), text);
  }
  await git(['init', '--quiet', '--initial-branch=main', work]);
  await git(['-C', work, 'add', '-A']);
  await git(['-C', work, ...AUTHOR, 'commit', '--quiet', '-m', 'Tidy durations']);
  await git(['clone', '--quiet', '--bare', work, bare]);
  return bare;
}

async function git(args: string[]): Promise<void> {
  try {
    await run('git', args, {
      timeout: GIT_TIMEOUT_MS,
      env: { ...process.env, GIT_CONFIG_NOSYSTEM: '1' },
    });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      throw new Error(
        'git is missing: install it (Debian: apt-get install git; macOS: xcode-select --install)',
        {
          cause: error,
        },
      );
    }
    throw error;
  }
}
