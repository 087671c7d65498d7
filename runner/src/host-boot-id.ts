import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const COMMAND_TIMEOUT_MS = 5_000;

/** An id that changes with every boot of this host only. Throws where the system provides none. */
export async function hostBootId(): Promise<string> {
  if (process.platform === 'linux') {
    return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
  }
  const args = ['-n', 'kern.bootsessionuuid'];
  const { stdout } = await promisify(execFile)('sysctl', args, { timeout: COMMAND_TIMEOUT_MS });
  return stdout.trim();
}
