/** What a person can do about an error whose cause is the machine, not the program. */
export type MachineTrouble = {
  message: string;
  /** A part has to be installed first; nothing else helps. */
  isMissingPart: boolean;
};

const ELSEWHERE = 'or choose another folder with --data-dir';

/** Advice by the code of an error of a file or of the database. */
const FILE_ADVICE: readonly [codes: RegExp, advice: string][] = [
  [
    /^(EACCES|EPERM|SQLITE_PERM|SQLITE_CANTOPEN)/,
    `give this user the right to write there, ${ELSEWHERE}`,
  ],
  [/^(EROFS|SQLITE_READONLY)/, `it can only be read: make it writable, ${ELSEWHERE}`],
  [/^(ENOSPC|EDQUOT|SQLITE_FULL)/, `free some space on its disk, ${ELSEWHERE}`],
  [
    /^(ENOTDIR|EEXIST)/,
    'a file stands where a folder belongs: choose another folder with --data-dir',
  ],
  [
    /^SQLITE_IOERR/,
    `the disk failed or refuses to be written: look at the system's log, ${ELSEWHERE}`,
  ],
  [
    /^SQLITE_(NOTADB|CORRUPT)/,
    'the database is damaged: restore a copy with "switchyard backup --restore FILE"',
  ],
];

/**
 * Explains an error of the file system, of the database file, of a port or of a package that is not
 * installed; null for any other. `platform` is named where a package is missing: `linux-x64`.
 */
export function machineTrouble(error: unknown, platform: string): MachineTrouble | null {
  for (let cause = error; cause instanceof Error; cause = wrappedBy(cause)) {
    const missing = missingPackage(cause);
    if (missing !== null) {
      const message =
        `the package ${missing} is not installed or does not work on ${platform}: install ` +
        'Switchyard again with its optional packages (npm without --omit=optional), on a platform ' +
        'for which that package exists';
      return { message, isMissingPart: true };
    }
    const advice = adviceOn(cause);
    if (advice !== null) return { message: `${cause.message}: ${advice}`, isMissingPart: false };
  }
  return null;
}

/** The error of the database inside the query builder's; every other error has its own message. */
function wrappedBy(error: Error): unknown {
  return error.message.startsWith('Failed query') ? error.cause : undefined;
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}

function missingPackage(error: Error): string | null {
  const code = codeOf(error);
  if (code === 'ERR_DLOPEN_FAILED') {
    return /node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(error.message)?.[1] ?? 'libsql';
  }
  if (code !== 'MODULE_NOT_FOUND' && code !== 'ERR_MODULE_NOT_FOUND') return null;
  return (
    /Cannot find (?:module|package) '((?:@[\w.-]+\/)?\w[\w.-]*)'/.exec(error.message)?.[1] ?? null
  );
}

function adviceOn(error: Error): string | null {
  const code = codeOf(error);
  if (code === 'EADDRINUSE') {
    return 'something else listens there; choose another with --port (0 takes any)';
  }
  if ('syscall' in error && error.syscall === 'listen') {
    return code === 'EACCES' ? 'choose a port from 1024 on with --port' : null;
  }
  // For a file that cannot be opened, the driver gives the database's code only as a number in the
  // message.
  const isRefused = /Unable to open connection to local database .*: 14\b/.test(error.message);
  const known = isRefused ? 'SQLITE_CANTOPEN' : code;
  const concernsFile =
    known.startsWith('SQLITE_') || 'path' in error || /^E(NOSPC|DQUOT)$/.test(known);
  if (!concernsFile) return null;
  return FILE_ADVICE.find(([codes]) => codes.test(known))?.[1] ?? null;
}
