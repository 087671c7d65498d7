import { createHash } from 'node:crypto';

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
  return `${safe}--${createHash('sha256').update(identifier).digest('hex').slice(0, 16)}`;
}

/** The key as one component of a ref name, where `..`, a last `.` and `.lock` are not allowed. */
export function refComponent(key: string): string {
  const allowed = !/\.\.|\.$|\.lock$|^\.|^-/.test(key);
  return allowed ? key : workspaceKey(`${key.replaceAll('.', '_')}/`);
}
