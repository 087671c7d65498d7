import { readShellProgram } from '../../shell/read-shell-program.ts';

/** What one host process and each of its children may take. */
export type ProcessLimits = {
  /** Of writable memory (RLIMIT_DATA); mapped files are no part of it. */
  memoryBytes: number;
  cpuSeconds: number;
  /** Of each file that is written. */
  fileBytes: number;
};

/** Between the signal that names the reason and the one that cannot be ignored. */
const CPU_GRACE_SECONDS = 5;
const ULIMIT_KIBIBYTE = 1_024;
/** POSIX counts file sizes in these. */
const ULIMIT_FILE_BLOCK_BYTES = 512;

/** Nothing of a caller is ever part of it. */
const PROGRAM = readShellProgram(new URL('./limited-command.sh', import.meta.url));

/**
 * The same program under limits that the kernel keeps, also when the runner is gone. Linux keeps all
 * of them; macOS keeps processor time and file size, but has no limit of memory.
 */
export function limitedCommand(
  file: string,
  args: readonly string[],
  limits: ProcessLimits,
): { file: string; args: string[] } {
  const cpuSeconds = Math.ceil(limits.cpuSeconds);
  const numbers = [
    Math.ceil(limits.memoryBytes / ULIMIT_KIBIBYTE),
    cpuSeconds,
    cpuSeconds + CPU_GRACE_SECONDS,
    Math.ceil(limits.fileBytes / ULIMIT_FILE_BLOCK_BYTES),
  ];
  return { file: '/bin/sh', args: ['-c', PROGRAM, 'sh', ...numbers.map(String), file, ...args] };
}
