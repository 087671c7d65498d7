import { execFile } from 'node:child_process';
import { devNull } from 'node:os';
import { promisify } from 'node:util';

const TIMEOUT_MS = 30 * 60_000;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** git as it comes, without anybody's configuration; answers what it printed. */
export type DeveloperGit = (cwd: string, ...args: string[]) => Promise<string>;

export function developerGit(): DeveloperGit {
  const env = { PATH: process.env['PATH'], GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: devNull };
  return async (cwd, ...args) => {
    const limits = { timeout: TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES };
    return (await promisify(execFile)('git', args, { cwd, env, ...limits })).stdout;
  };
}
