import {
  MAX_ARTIFACTS,
  MAX_ARTIFACTS_BYTES,
  MAX_ARTIFACT_BYTES,
} from '@switchyard/shared/evidence/artifact';
import { cutText } from '@switchyard/shared/text/cut-text';
import type { FolderHandle } from '../../agent-files/folder-handle.ts';
import { walkFolder } from '../../agent-files/walk-folder.ts';
import { readHead, withFolderInside } from '../../agent-files/with-folder.ts';
import { shownPath } from '../../workspace/git/shown-path.ts';

const MAX_ENTRIES = 10_000;
const MAX_PATH_CHARS = 300;
/** `.git/config`, `shots/.gitkeep`. */
const GIT_NAME = /(?:^|\/)\.git/i;

/** What is in a folder of artifacts; paths are as people see them, in the order of their bytes. */
export type ReadArtifacts = {
  kept: { path: string; bytes: Buffer }[];
  /** Beyond the limits of number or size. */
  leftOut: string[];
  /** What holds a secret, and what could not be read. */
  withSecret: string[];
  unread: string[];
  /** There is more than was looked at: too many entries, nested too deeply, or closed to us. */
  isCut: boolean;
};

/** Reads the plain files below an open folder that an agent wrote; follows nothing. */
export async function readArtifacts(
  root: FolderHandle,
  { secrets, signal }: { secrets: readonly string[]; signal: AbortSignal },
): Promise<ReadArtifacts> {
  const { found, isCut } = await plainFiles(root, signal);
  const read: ReadArtifacts = { kept: [], leftOut: [], withSecret: [], unread: [], isCut };
  let leftBytes = MAX_ARTIFACTS_BYTES;
  for (const { raw, size } of found) {
    const path = pathForPeople(raw);
    const maxBytes =
      read.kept.length < MAX_ARTIFACTS ? Math.min(MAX_ARTIFACT_BYTES, leftBytes) : -1;
    const names = `${raw}\n${Buffer.from(path).toString('latin1')}`;
    if (holdsSecret(names, secrets)) read.withSecret.push('one whose name holds it');
    else if (size > maxBytes) read.leftOut.push(path);
    else {
      const bytes = await readPlain(root, raw, maxBytes);
      if (bytes === null) read.unread.push(path);
      else if (bytes.length > maxBytes) read.leftOut.push(path);
      else if (holdsSecret(bytes.toString('latin1'), secrets)) read.withSecret.push(path);
      else {
        leftBytes -= bytes.length;
        read.kept.push({ path, bytes });
      }
    }
  }
  return read;
}

/** Paths have one character for each byte. */
async function plainFiles(
  root: FolderHandle,
  signal: AbortSignal,
): Promise<{ found: { raw: string; size: number }[]; isCut: boolean }> {
  const found: { raw: string; size: number }[] = [];
  let isCut = false;
  const limits = { maxEntries: MAX_ENTRIES, signal, cut: () => void (isCut = true) };
  for await (const { folder, name, path: raw } of walkFolder(root, limits)) {
    // A repository, or what keeps the folder in one, is not for people.
    if (GIT_NAME.test(raw)) continue;
    const stat = await folder.stat(name);
    if (stat?.isFile() === true) found.push({ raw, size: stat.size });
  }
  found.sort((one, other) => (one.raw < other.raw ? -1 : 1));
  return { found, isCut };
}

/** Null where no plain file is there that could be opened; more than `maxBytes` where it has grown. */
async function readPlain(
  root: FolderHandle,
  raw: string,
  maxBytes: number,
): Promise<Buffer | null> {
  const steps = raw.split('/');
  const name = steps.pop() ?? '';
  return withFolderInside(root, steps, { make: false }, async (folder) => {
    const file = await folder.openFile(name);
    if (file === null) return null;
    try {
      return await readHead(file, maxBytes + 1);
    } finally {
      await file.close();
    }
  });
}

function pathForPeople(raw: string): string {
  const shown = shownPath(Buffer.from(raw, 'latin1').toString('utf8'));
  return cutText(shown, MAX_PATH_CHARS, '…') || '?';
}

/** Also in text of two bytes a letter. One character for each byte. */
function holdsSecret(text: string, secrets: readonly string[]): boolean {
  const ways = text.includes('\0') ? [text, text.replaceAll('\0', '')] : [text];
  return secrets.some((secret) => {
    const wanted = Buffer.from(secret).toString('latin1');
    return ways.some((way) => way.includes(wanted));
  });
}
