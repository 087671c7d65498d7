import type { ProcessLimits } from './limited-command.ts';
import type { HostProcessResult } from './run-process.ts';

const MiB = 1024 * 1024;
const GiB = 1024 * MiB;

/** What one call of host git may take; its processor time is bounded by its timeout. */
export type GitLimits = Pick<ProcessLimits, 'memoryBytes' | 'fileBytes'>;

/** For reading objects that strangers made, and for what small things come of it. */
export const READ_LIMITS: GitLimits = { memoryBytes: 2 * GiB, fileBytes: GiB };
/** For whole repositories: fetch, push, clone, checkout. */
export const TRANSFER_LIMITS: GitLimits = { memoryBytes: 4 * GiB, fileBytes: 32 * GiB };

/** What a bundle from a workspace may bring. */
export const IMPORT_LIMITS = {
  MAX_OBJECTS: 2_000_000,
  MAX_COMMITS: 5_000,
  MAX_BLOB_BYTES: 256 * MiB,
  /** Of a commit, a tree or a tag: git keeps those in memory as a whole. */
  MAX_OTHER_OBJECT_BYTES: 32 * MiB,
  MAX_UNPACKED_BYTES: 16 * GiB,
} as const;

/** What one commit may look like when its folders are written out. */
export const TREE_LIMITS = {
  /** Files, links and folders. */
  MAX_TREE_ENTRIES: 1_000_000,
  MAX_TREE_DEPTH: 256,
  MAX_PATH_BYTES: 4_096,
  /** All files of a checkout. */
  MAX_CHECKOUT_BYTES: 64 * GiB,
} as const;

const SIGNALS: Readonly<Record<string, string>> = { '11': 'SIGSEGV', '24': 'SIGXCPU' };

/** Which limit ended a git process, in words; null when none did. */
export function limitReached(
  result: Pick<HostProcessResult, 'exitCode' | 'signal' | 'stderr'>,
  limits: ProcessLimits,
): string | null {
  if (result.exitCode === 0) return null;
  // A remote writes part of this: its lines prove nothing.
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
