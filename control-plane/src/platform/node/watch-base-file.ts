import { unwatchFile, watchFile } from 'node:fs';
import { join } from 'node:path';
import type { BaseFile } from '../../config/base-file.ts';
import { BASE_FILES, findBaseFile } from './find-base-file.ts';

/**
 * Polling interval; change notifications do not work on every file system and are lost on a rename.
 */
const CHECK_EVERY_MS = 500;
/** Wait for an editor that writes a file in several steps. */
const SETTLE_MS = 200;

/**
 * Calls back with the base file of a folder whenever its content changed. A deleted file is
 * reported without text, as missing.
 */
export function watchBaseFile(
  folder: string,
  given: BaseFile | null,
  onChange: (file: BaseFile) => void,
): { stop(): void } {
  let last = given;
  let settling: NodeJS.Timeout | null = null;
  const check = () => {
    settling = null;
    const found = findBaseFile(folder);
    const next = found ?? (last === null ? null : { ...last, text: null });
    if (next === null || (next.name === last?.name && next.text === last.text)) return;
    last = next;
    onChange(next);
  };
  const changed = () => {
    if (settling !== null) clearTimeout(settling);
    settling = setTimeout(check, SETTLE_MS).unref();
  };
  const paths = BASE_FILES.map(({ name }) => join(folder, name));
  for (const path of paths) {
    watchFile(path, { interval: CHECK_EVERY_MS, persistent: false }, changed);
  }
  // Detects a change between the first read and this call.
  changed();
  return {
    stop() {
      for (const path of paths) unwatchFile(path, changed);
      if (settling !== null) clearTimeout(settling);
    },
  };
}
