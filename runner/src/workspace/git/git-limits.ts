import type { ProcessLimits } from './limited-command.ts';
import type { HostProcessResult } from './run-process.ts';

const MiB = 1024 * 1024;
const GiB = 1024 * MiB;

/** Limits of one host git process; its processor time is limited by the timeout. */
export type GitLimits = Pick<ProcessLimits, 'memoryBytes' | 'fileBytes'>;

/** For reading untrusted objects and creating small ones. */
export const READ_LIMITS: GitLimits = { memoryBytes: 2 * GiB, fileBytes: GiB };
/** For whole repositories: fetch, push, clone, checkout. */
export const TRANSFER_LIMITS: GitLimits = { memoryBytes: 4 * GiB, fileBytes: 32 * GiB };

/** Limits of a bundle from a workspace. */
export const IMPORT_LIMITS = {
  MAX_OBJECTS: 2_000_000,
  MAX_COMMITS: 5_000,
  MAX_BLOB_BYTES: 256 * MiB,
  /** For a commit, tree or tag, which git keeps completely in memory. */
  MAX_OTHER_OBJECT_BYTES: 32 * MiB,
  MAX_UNPACKED_BYTES: 16 * GiB,
} as const;

/** Limits of a commit's tree when it is checked out. */
export const TREE_LIMITS = {
  /** Number of files, links and folders. */
  MAX_TREE_ENTRIES: 1_000_000,
  MAX_TREE_DEPTH: 256,
  MAX_PATH_BYTES: 4_096,
  /** Size of all files of a checkout. */
  MAX_CHECKOUT_BYTES: 64 * GiB,
} as const;

const SIGNALS: Readonly<Record<string, string>> = { '11': 'SIGSEGV', '24': 'SIGXCPU' };

/** The limit that ended a git process, for people; null when none did. */
export function limitReached(
  result: Pick<HostProcessResult, 'exitCode' | 'signal' | 'stderr'>,
  limits: ProcessLimits,
): string | null {
  if (result.exitCode === 0) return null;
  // A remote can write a part of this, so its lines are ignored.
  const own = result.stderr
    .split(/[\r\n]/)
    .filter((line) => !/^(?:.*: )?remote:/.test(line.trim()))
    .join('\n');
  const ofChild = SIGNALS[/died of signal (\d+)/.exec(own)?.[1] ?? ''];
  const signal = result.signal ?? ofChild;
  if (signal === 'SIGXCPU') return `used more than ${limits.cpuSeconds} s of processor time`;
  if (signal === 'SIGSEGV') return 'crashed, as it does when folders are nested too deeply';
  if (/out of memory|cannot allocate memory/i.test(own))
    return `needs more than ${Math.round(limits.memoryBytes / MiB)} MiB of memory`;
  if (/file too large/i.test(own))
    return `writes a file larger than ${Math.round(limits.fileBytes / MiB)} MiB`;
  return null;
}
