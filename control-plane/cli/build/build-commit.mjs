import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const gitTimeoutMs = 10_000;
/** Of a list of changes only whether it is empty matters; a longer one counts as changes too. */
const maxListBytes = 1_000_000;

/**
 * What a build is made of, for its version: the first eight characters of the commit, with `.dirty` when
 * tracked files differ from it. Empty where git cannot tell, as in sources that came as an archive:
 * also when these lie inside another repository, whose commits say nothing about them. So it is where
 * git is missing, or refuses a checkout that belongs to another user.
 *
 * @param {string} root absolute path of the checkout
 * @returns {string}
 */
export function buildCommit(root) {
  if (!existsSync(join(root, '.git'))) return '';
  const found = /^([0-9a-f]{8})[0-9a-f]{32,}$/.exec(git(root, ['rev-parse', 'HEAD'])?.trim() ?? '');
  if (found === null) return '';
  const changes = git(root, ['status', '--porcelain', '--untracked-files=no', '-z']);
  return found[1] + (changes === '' ? '' : '.dirty');
}

/**
 * Writes the file from which built programs know their commit. It is replaced whole, for one may be
 * starting.
 *
 * @param {string} folder absolute path of the build
 * @param {string} commit see buildCommit
 */
export function writeCommit(folder, commit) {
  replaceFile(
    join(folder, 'lib', 'commit.js'),
    `export const commit = ${JSON.stringify(commit)};\n`,
  );
}

/**
 * Has what was built of the same sources say another commit.
 *
 * @param {string} root absolute path of the checkout
 * @param {string} folder absolute path of the build
 * @param {string} from the commit that it says now
 * @param {string} to see buildCommit
 * @returns {boolean} false: it has to be built again
 */
export function replaceCommit(root, folder, from, to) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const worker = join(folder, 'worker', 'worker.js');
  // A Worker is one file, so it has the commit in its text.
  const parts = readFileSync(worker, 'utf8').split(`\`${version}+${from}\``);
  if (from === '' || to === '' || parts.length !== 2) return false;
  replaceFile(worker, parts.join(`\`${version}+${to}\``));
  writeCommit(folder, to);
  return true;
}

function replaceFile(path, text) {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

/** Variables by which a hook of git, for one, has git work on another repository than that of its folder. */
const elsewhere = [
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_COMMON_DIR',
  'GIT_NAMESPACE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_PREFIX',
];

/** What git prints; null when it fails, is missing or takes too long. */
function git(root, args) {
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: dirname(root) };
  for (const name of elsewhere) delete env[name];
  try {
    return execFileSync('git', args, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: gitTimeoutMs,
      maxBuffer: maxListBytes,
      // Only asking: the checkout's index is not written anew.
      env: { ...env, GIT_OPTIONAL_LOCKS: '0' },
    });
  } catch {
    return null;
  }
}
