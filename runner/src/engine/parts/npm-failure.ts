/** Matches npm's error code with `--loglevel=error`. */
const CODE = /npm (?:error|ERR!) code (\w+)/;
const NETWORK =
  /^(ENOTFOUND|EAI_AGAIN|ECONN\w+|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|FETCH_ERROR|E5\d\d|ENOTCACHED)$/;

/** Why npm could not fetch a package, with advice for the host's operator. */
export function npmFailure(name: string, error: unknown): string {
  if (codeOf(error) === 'ENOENT') return `${name}: npm was not found; install Node with npm`;
  if (isTimeout(error)) return `${name}: npm did not fetch it in time; check the network`;
  const code = CODE.exec(stderrOf(error))?.[1] ?? '';
  if (NETWORK.test(code)) {
    return `${name}: npm's registry cannot be reached (${code}); check the network, and npm's proxy and registry settings`;
  }
  if (/^(ENOSPC|EDQUOT)$/.test(code)) return `${name}: no space is left on the disk; free some`;
  if (/^E40[13]$/.test(code)) {
    return `${name}: npm's registry refused (${code}); check the login in npm's settings`;
  }
  if (/^(E404|ETARGET)$/.test(code)) {
    return `${name}: the registry that npm is set up with does not have it (${code}); check npm's registry setting`;
  }
  const why = code === '' ? '' : ` (${code})`;
  return `${name}: npm pack failed${why}; check the network and npm's registry setting`;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && 'killed' in error && error.killed === true;
}

function stderrOf(error: unknown): string {
  return error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
}
