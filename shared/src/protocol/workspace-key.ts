import { sha256 } from '@noble/hashes/sha2.js';
import { toHex } from '../text/to-hex.ts';

const MAX_CHARACTERS = 120;

/**
 * Folder name for an identifier: characters outside `[A-Za-z0-9._-]` become `_`, and when that
 * changed anything, `--` and 16 hex digits of the identifier's SHA-256 follow. Names that a file
 * system treats specially (empty, leading dot, very long) count as changed.
 */
export function workspaceKey(identifier: string): string {
  const safe = identifier
    .replaceAll(/[^A-Za-z0-9._-]/gu, '_')
    .replace(/^[.]+/, (dots) => '_'.repeat(dots.length))
    .slice(0, MAX_CHARACTERS);
  if (safe === identifier && safe !== '') return safe;
  return `${safe}--${toHex(sha256(new TextEncoder().encode(identifier))).slice(0, 16)}`;
}
