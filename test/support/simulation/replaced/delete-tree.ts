import { rmSync } from 'node:fs';

/** Stands for `rm`, which would be a process of the real world. */
export async function deleteTree(path: string): Promise<void> {
  rmSync(path, { recursive: true, force: true });
}
