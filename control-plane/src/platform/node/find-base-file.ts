import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BaseFile } from '../../config/base-file.ts';

/** Names of base files, in the order in which the working folder is searched. */
export const BASE_FILES = [
  { name: 'WORKFLOW.md', format: 'workflow' },
  { name: 'switchyard.yaml', format: 'yaml' },
] as const;

/** The base configuration file of a folder; null when there is none. */
export function findBaseFile(folder: string): BaseFile | null {
  for (const { name, format } of BASE_FILES) {
    const text = readText(join(folder, name));
    if (text !== undefined) return { name, format, text };
  }
  return null;
}

/** The text of a file; undefined when it does not exist, null when it cannot be read. */
function readText(path: string): string | null | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return isAbsent ? undefined : null;
  }
}
