import type { EntryKind, FolderHandle } from './folder-handle.ts';

/** Each level needs two file descriptors. People's folders are never nested this deep. */
const MAX_DEPTH = 128;

export type Walked = {
  /** The folder of the entry; open until the next entry is requested. */
  folder: FolderHandle;
  name: string;
  /** Path from the walk's root, with slashes. */
  path: string;
  kind: EntryKind;
};

export type WalkLimits = {
  maxEntries: number;
  signal?: AbortSignal;
  /** Called when entries were left out: too many, too deep, unreadable, or the signal. */
  cut?: () => void;
};

/** All entries below an open folder, without following links, within limits. */
export async function* walkFolder(
  root: FolderHandle,
  limits: WalkLimits,
): AsyncGenerator<Walked, void> {
  const state = { left: limits.maxEntries };
  yield* below(root, { prefix: '', depth: 0 }, state, limits);
}

async function* below(
  folder: FolderHandle,
  at: { prefix: string; depth: number },
  state: { left: number },
  limits: WalkLimits,
): AsyncGenerator<Walked, void> {
  for await (const { name, kind } of folder.entries()) {
    if (state.left <= 0 || limits.signal?.aborted === true) {
      limits.cut?.();
      return;
    }
    state.left -= 1;
    const path = `${at.prefix}${name}`;
    yield { folder, name, path, kind };
    if (kind !== 'folder') continue;
    const inner = at.depth < MAX_DEPTH ? await folder.folder(name) : null;
    if (inner === null) {
      limits.cut?.();
      continue;
    }
    try {
      yield* below(inner, { prefix: `${path}/`, depth: at.depth + 1 }, state, limits);
    } finally {
      await inner.close();
    }
  }
}
