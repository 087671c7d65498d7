import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const gitTimeoutMs = 10_000;
/**
 * Only whether the list of changes is empty matters; a list above this limit counts as changes too.
 */
const maxListBytes = 1_000_000;

/**
 * The commit of a build, for its version: the first eight characters of the hash, with `.dirty`
 * when tracked files differ from it. Empty where git cannot determine it: in sources from an
 * archive, also inside another repository, whose commits are unrelated; without git; and in a
 * checkout that belongs to another user.
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
 * Writes the file from which built programs read their commit. The file is replaced atomically,
 * since a program may be starting.
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
 * Replaces the commit in a build of the same sources.
 *
 * @param {string} root absolute path of the checkout
 * @param {string} folder absolute path of the build
 * @param {string} from the commit that the build has now
 * @param {string} to see buildCommit
 * @returns {boolean} false: a new build is needed
 */
export function replaceCommit(root, folder, from, to) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const worker = join(folder, 'worker', 'worker.js');
  // A Worker is one file, so its text contains the commit.
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

/**
 * Variables, set for example by a git hook, that direct git to another repository than that of its
 * folder.
 */
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

/** The output of git; null when it fails, is missing or times out. */
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
      // Only reads: git must not rewrite the checkout's index.
      env: { ...env, GIT_OPTIONAL_LOCKS: '0' },
    });
  } catch {
    return null;
  }
}
