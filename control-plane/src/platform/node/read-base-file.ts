import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BaseFile } from '../../config/base-file.ts';

/** In the order in which they are looked for in the working folder. */
const FILES = [
  { name: 'WORKFLOW.md', format: 'workflow' },
  { name: 'switchyard.yaml', format: 'yaml' },
] as const;

/** The base configuration file of a folder; null when there is none. */
export function findBaseFile(folder: string): BaseFile | null {
  for (const { name, format } of FILES) {
    const path = join(folder, name);
    if (existsSync(path)) return { name, format, text: readFileSync(path, 'utf8') };
  }
  return null;
}
