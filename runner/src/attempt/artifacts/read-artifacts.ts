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
/** Matches names such as `.git/config` and `shots/.gitkeep`. */
const GIT_NAME = /(?:^|\/)\.git/i;

/** The content of an artifacts folder; paths for people, sorted by bytes. */
export type ReadArtifacts = {
  kept: { path: string; bytes: Buffer }[];
  /** Files beyond the limits of number or size. */
  leftOut: string[];
  /** Files that contain a secret, and files that cannot be read. */
  withSecret: string[];
  unread: string[];
  /** Not everything was read: too many entries, too much nesting, or an unreadable folder. */
  isCut: boolean;
};

/** Reads the regular files below an open folder that an agent wrote, without following links. */
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

/** Lists regular files; paths have one character for each byte. */
async function plainFiles(
  root: FolderHandle,
  signal: AbortSignal,
): Promise<{ found: { raw: string; size: number }[]; isCut: boolean }> {
  const found: { raw: string; size: number }[] = [];
  let isCut = false;
  const limits = { maxEntries: MAX_ENTRIES, signal, cut: () => void (isCut = true) };
  for await (const { folder, name, path: raw } of walkFolder(root, limits)) {
    // Files of git itself are not for people.
    if (GIT_NAME.test(raw)) continue;
    const stat = await folder.stat(name);
    if (stat?.isFile() === true) found.push({ raw, size: stat.size });
  }
  found.sort((one, other) => (one.raw < other.raw ? -1 : 1));
  return { found, isCut };
}

/**
 * Reads a regular file; null when there is none that can be opened. More than `maxBytes` means that
 * it has grown.
 */
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

/** Whether a text contains a secret, also in UTF-16. One character for each byte. */
function holdsSecret(text: string, secrets: readonly string[]): boolean {
  const ways = text.includes('\0') ? [text, text.replaceAll('\0', '')] : [text];
  return secrets.some((secret) => {
    const wanted = Buffer.from(secret).toString('latin1');
    return ways.some((way) => way.includes(wanted));
  });
}
