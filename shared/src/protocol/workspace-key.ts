import { sha256 } from '@noble/hashes/sha2.js';
import { z } from 'zod';
import { toHex } from '../text/to-hex.ts';

const MAX_CHARACTERS = 120;
const HASH_DIGITS = 16;
const DISTINCT = new RegExp(`--[0-9a-f]{${HASH_DIGITS}}$`);

/**
 * A workspace key from outside this process: a single folder name without characters that a file
 * system interprets.
 */
export const WorkspaceKey = z
  .string()
  .regex(/^[A-Za-z0-9_-][A-Za-z0-9._-]*$/)
  .max(MAX_CHARACTERS + 2 * (HASH_DIGITS + 2));

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
  return distinctKey(safe, identifier);
}

/**
 * A variant of `key` for an issue when another issue owns that key; the suffix is derived from
 * `of`, and no identifier yields it.
 */
export function distinctKey(key: string, of: string): string {
  return `${key}--${toHex(sha256(new TextEncoder().encode(of))).slice(0, HASH_DIGITS)}`;
}

export function isDistinctKey(key: string): boolean {
  return DISTINCT.test(key);
}

/**
 * Key that names an attempt's folders, sessions and hidden ref: the control plane's, otherwise
 * derived from the issue's identifier.
 */
export function workspaceKeyOf(spec: {
  workspaceKey?: string | undefined;
  issue: { identifier: string };
}): string {
  return spec.workspaceKey ?? workspaceKey(spec.issue.identifier);
}
