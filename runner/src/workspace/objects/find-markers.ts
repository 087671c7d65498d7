import { failureOfGit } from './fault-of-work.ts';
import { assertTreesFit } from './assert-trees-fit.ts';
import { lastMessage } from '../git/git.ts';
import { limitReached, READ_LIMITS } from '../git/git-limits.ts';
import { limitedCommand } from '../git/limited-command.ts';
import type { Workspaces } from '../open-workspaces.ts';
import { readShellProgram } from '../../shell/read-shell-program.ts';
import { FINDING_MARK, readFindings, withoutFindings } from './read-findings.ts';
import { type RunInWorkspace, WorkspaceError, type WorkProblem } from '../workspace.ts';

const PROGRAM = readShellProgram(new URL('./shell/find-markers.sh', import.meta.url));
/** Pattern for git's `-G`: a line that may be a conflict marker. */
const MARKER_LIKE = '^(<<<<<<<|=======|>>>>>>>|[|]{7})';
const SYNC_TIMEOUT_MS = 120_000;
const MAX_OUTPUT_BYTES = 64 * 1024;

/**
 * Conflict markers that `tip` adds. The mirror shows how much must be compared and whether any line
 * may be one; only then the workspace is searched, with the work's attributes and the limits of
 * host git. Throws `limit_exceeded`, `snapshot_refused` or `git_failed`.
 */
export async function findMarkers(
  workspaces: Workspaces,
  runInWorkspace: RunInWorkspace,
  input: {
    workspace: { path: string; mirrorPath: string; baseCommit: string };
    /** Commit that workspace and mirror both have. */
    tip: string;
    env: Readonly<Record<string, string>>;
    timeoutMs: number;
  },
): Promise<WorkProblem[]> {
  const { workspace, tip, env, timeoutMs } = input;
  const { mirrorPath, baseCommit } = workspace;
  await assertTreesFit(workspaces, { mirrorPath, roots: [baseCommit, tip] });
  const { stdout: names } = await workspaces.git.run({
    gitDir: mirrorPath,
    purpose: 'diff',
    timeoutMs: SYNC_TIMEOUT_MS,
    maxOutputBytes: MAX_OUTPUT_BYTES,
    truncate: true,
    args: [
      'diff',
      '--name-only',
      '-z',
      '-G',
      MARKER_LIKE,
      '--diff-filter=d',
      '--text',
      '--no-ext-diff',
      '--no-textconv',
      '--end-of-options',
      baseCommit,
      tip,
      '--',
    ],
  });
  if (names === '') return [];
  const limits = { ...READ_LIMITS, cpuSeconds: Math.ceil(timeoutMs / 1000) };
  const given = [workspace.path, baseCommit, tip, FINDING_MARK, MARKER_LIKE];
  const limited = limitedCommand('sh', ['-c', PROGRAM, 'markers', ...given], limits);
  const result = await runInWorkspace({
    purpose: 'markers',
    argv: [limited.file, ...limited.args],
    env,
    timeoutMs,
    maxOutputBytes: MAX_OUTPUT_BYTES,
  });
  if (result.timedOut)
    throw new WorkspaceError('git_failed', 'looking for conflict markers took too long');
  if (result.exitCode !== 0) {
    const stderr = withoutFindings(result.stderr);
    const limit = limitReached({ exitCode: 1, signal: null, stderr }, limits);
    const message = `looking for conflict markers failed: ${lastMessage(stderr)}`;
    if (limit === null) throw failureOfGit(message);
    throw new WorkspaceError('limit_exceeded', `looking for conflict markers ${limit}`);
  }
  return readFindings(result.stderr).problems;
}
