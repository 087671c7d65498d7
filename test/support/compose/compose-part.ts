import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { SystemPart } from '../system-part.ts';

/** Whether docker-compose is here, which starts compose.yaml. */
export function composePart(): SystemPart {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const found = folders.map((folder) => join(folder, 'docker-compose')).find(existsSync);
  if (found !== undefined) return { available: true, detail: found };
  return { available: false, reason: 'no docker-compose: install the package docker-compose' };
}
