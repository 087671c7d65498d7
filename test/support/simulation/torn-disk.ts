import { appendFileSync, copyFileSync, existsSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from './random.ts';

const DATABASES = ['journal', 'spool'] as const;
const PARTS = ['', '-wal'] as const;

/** The files of a runner's data folder as they are now, into the folder of another. */
export function copyDisk(from: string, to: string): void {
  for (const name of DATABASES) {
    for (const end of PARTS) {
      const file = `${name}.db${end}`;
      if (existsSync(join(from, file))) copyFileSync(join(from, file), join(to, file));
    }
  }
}

/**
 * A power cut: keeps copies of the files as they are now, because a close would tidy them up.
 * `putBack` follows the close; what the disk had not been made to keep may be torn then.
 */
export function tearDisk(folder: string, random: Random): { putBack(): void } {
  for (const name of DATABASES) {
    for (const end of PARTS) {
      const path = join(folder, `${name}.db${end}`);
      if (existsSync(path)) copyFileSync(path, `${path}.torn`);
    }
  }
  return {
    putBack: () => {
      for (const name of DATABASES) putBack(name, join(folder, `${name}.db`), random);
    },
  };
}

function putBack(name: (typeof DATABASES)[number], path: string, random: Random): void {
  rmSync(`${path}-shm`, { force: true });
  for (const end of PARTS) {
    rmSync(`${path}${end}`, { force: true });
    if (!existsSync(`${path}${end}.torn`)) continue;
    copyFileSync(`${path}${end}.torn`, `${path}${end}`);
    rmSync(`${path}${end}.torn`);
  }
  const log = `${path}-wal`;
  if (!existsSync(log)) return;
  // The journal is fsynced: only a write that never returned can be torn. The spool is not.
  if (name === 'journal') appendFileSync(log, new Uint8Array(random.int(1, 4_000)).fill(7));
  else truncateSync(log, Math.max(0, statSync(log).size - random.int(0, 20_000)));
}
