import { readShellProgram } from '../../shell/read-shell-program.ts';

/** Limits of one host process and of each of its children. */
export type ProcessLimits = {
  /** Writable memory (RLIMIT_DATA); mapped files are excluded. */
  memoryBytes: number;
  cpuSeconds: number;
  /** Size of each written file. */
  fileBytes: number;
};

/** Time between the signal that names the reason and SIGKILL. */
const CPU_GRACE_SECONDS = 5;
const ULIMIT_KIBIBYTE = 1_024;
/** Unit of file sizes in POSIX. */
const ULIMIT_FILE_BLOCK_BYTES = 512;

/** A constant that contains nothing of a caller. */
const PROGRAM = readShellProgram(new URL('./limited-command.sh', import.meta.url));

/**
 * The command under limits that the kernel enforces, even after the runner has ended. Linux
 * enforces all of them; macOS enforces processor time and file size, but not memory.
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
