import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { developerGit } from './developer-git.ts';

/** How large a generated repository is. */
export type RepositorySize = {
  files: number;
  /** Commits on top of the first one, each of which changes a few files. */
  commits: number;
  /** Content that no compression makes smaller, spread over those commits. */
  historyBytes: number;
};

const FILES_PER_FOLDER = 20;
const CHANGED_PER_COMMIT = 20;
const MEAN_FILE_BYTES = 3_000;
/** Neither deltas nor much compression: the content has none to find. */
const IMPORT = ['-c', 'pack.compression=1'];
const BLOB_BYTES = 512 * 1024;
const WORDS =
  'const return function value index buffer request response stream handle import export if else for while result error message limit'.split(
    ' ',
  );
const AUTHOR = 'Dev <dev@example.test> 1700000000 +0000';

/**
 * Writes a bare repository at `path`, the same one for the same size: text files of one to five
 * kilobytes in nested folders on `main`, and as much history as asked for.
 */
export async function makeRepository(path: string, size: RepositorySize): Promise<void> {
  const git = developerGit();
  await git('.', 'init', '--quiet', '--bare', '--initial-branch=main', path);
  const importer = spawn(
    'git',
    [...IMPORT, '-C', path, 'fast-import', '--quiet', '--done', '--depth=0'],
    {
      stdio: ['pipe', 'ignore', 'inherit'],
    },
  );
  const ended = once(importer, 'close');
  for (const chunk of contentOf(size)) {
    if (!importer.stdin.write(chunk)) await once(importer.stdin, 'drain');
  }
  importer.stdin.end('done\n');
  const [exitCode] = await ended;
  if (exitCode !== 0) throw new Error(`git fast-import ended with exit code ${exitCode}`);
}

function* contentOf({ files, commits, historyBytes }: RepositorySize): Generator<string | Buffer> {
  const random = randomNumbers();
  yield commitHeader(1, 'First');
  for (let file = 0; file < files; file += 1) yield* fileChange(pathOf(file), textOf(random));
  const blobs = Math.ceil(historyBytes / BLOB_BYTES);
  for (let commit = 0; commit < commits; commit += 1) {
    yield commitHeader(commit + 2, `Change ${commit}`);
    for (let change = 0; change < CHANGED_PER_COMMIT; change += 1)
      yield* fileChange(pathOf(random() % files), textOf(random));
    // One path: what was there before stays in the history only.
    const share =
      Math.floor((blobs * (commit + 1)) / commits) - Math.floor((blobs * commit) / commits);
    for (let blob = 0; blob < share; blob += 1)
      yield* fileChange(`assets/picture-${blob}.bin`, noise(random, BLOB_BYTES));
  }
}

function commitHeader(mark: number, message: string): string {
  return `commit refs/heads/main\nmark :${mark}\ncommitter ${AUTHOR}\ndata ${message.length}\n${message}\n`;
}

function* fileChange(path: string, content: string | Buffer): Generator<string | Buffer> {
  yield `M 100644 inline ${path}\ndata ${content.length}\n`;
  yield content;
  yield '\n';
}

function pathOf(file: number): string {
  const folder = Math.floor(file / FILES_PER_FOLDER);
  return `packages/p${folder % 50}/src/d${Math.floor(folder / 50)}/file-${file}.ts`;
}

function textOf(random: () => number): string {
  const bytes = MEAN_FILE_BYTES / 3 + (random() % Math.floor((MEAN_FILE_BYTES * 4) / 3));
  let text = '';
  while (text.length < bytes) {
    const number = random();
    text += `${WORDS[number % WORDS.length]} ${number.toString(36)}${number % 7 === 0 ? ';\n' : ' '}`;
  }
  return text;
}

function noise(random: () => number, bytes: number): Buffer {
  const numbers = new Uint32Array(bytes / 4);
  for (let at = 0; at < numbers.length; at += 1) numbers[at] = random();
  return Buffer.from(numbers.buffer);
}

/** xorshift: the same numbers on every machine. */
function randomNumbers(): () => number {
  let state = 2_463_534_242;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state;
  };
}
