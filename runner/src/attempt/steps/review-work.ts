import type { PushProblem } from '../../workspace/push-checks/check-push.ts';
import { DEFAULT_PUSH_LIMITS, checkPush } from '../../workspace/push-checks/check-push.ts';
import { checkPointers } from '../../workspace/submodules/check-pointers.ts';
import type { PreparedWorkspace } from '../../workspace/workspace.ts';
import type { AttemptContext } from '../attempt-deps.ts';
import { reviewLfs } from '../lfs/review-lfs.ts';

const SHOWN_PROBLEMS = 10;

/**
 * Returns the problems that prevent pushing a commit to a ref; empty when there are none. Reports
 * them in one `write_refused` event, once for each commit and ref. Throws WorkspaceError.
 */
export async function reviewWork(
  context: AttemptContext,
  workspace: PreparedWorkspace,
  push: { commitSha: string; ref: string; signal?: AbortSignal },
): Promise<PushProblem[]> {
  const { saved, deps, spec, apiKey, recorder } = context;
  const { commitSha, ref, signal } = push;
  let review = saved.review?.commitSha === commitSha ? saved.review : null;
  // A missing LFS object may be added without a new commit, so that problem is checked again.
  if (review === null || review.problems.some(({ rule }) => rule === 'lfs_object_missing')) {
    const { mirrorPath, baseBranch, baseCommit } = workspace;
    const range = {
      mirrorPath,
      baseCommit,
      commitSha,
      ...(signal === undefined ? {} : { signal }),
    };
    const knownSecrets = apiKey === null || apiKey.length < 8 ? [] : [apiKey];
    const { url: repositoryUrl, submodules: named = [] } = spec.repository;
    const at = { ...range, baseBranch, repositoryUrl, named };
    // Checked once for each commit; a commit too large to review is too large for LFS as well.
    const checked =
      review === null
        ? [
            ...(await checkPush(deps.workspaces, {
              ...range,
              limits: spec.push ?? DEFAULT_PUSH_LIMITS,
              engineConfigPaths: deps.engines.find(spec.engine.name)?.configPaths ?? [],
              knownSecrets,
            })),
            ...(await checkPointers(deps.workspaces, at)),
          ]
        : [];
    const ofLfs =
      checked.length > 0 ? [] : await reviewLfs(context, workspace, range, knownSecrets);
    const problems = [...checked, ...ofLfs];
    review = { commitSha, problems, reported: review?.reported ?? new Set() };
    saved.review = review;
  }
  const { problems, reported } = review;
  if (problems.length > 0 && !reported.has(ref)) {
    reported.add(ref);
    await recorder.event('write_refused', { ref, problems, message: refusalSummary(problems) });
  }
  return problems;
}

/** The problems for people, on one line. */
export function refusalSummary(problems: readonly PushProblem[]): string {
  const named = problems.slice(0, 3).map(describe);
  const more = problems.length > named.length ? `; and ${problems.length - named.length} more` : '';
  return `not pushed: ${named.join('; ')}${more}`;
}

/** The problems for the agent, and how to fix them. */
export function objectionText(problems: readonly PushProblem[], baseCommit: string): string {
  const shown = problems.slice(0, SHOWN_PROBLEMS).map((problem) => `- ${describe(problem)}`);
  return [
    'Your work was not pushed, because it was checked first and this was found:',
    '',
    ...shown,
    '',
    'Take these out, also from earlier commits of this branch. For example: put the files right, then',
    `\`git reset --soft ${baseCommit}\` and commit again (a file that must stay as it was:`,
    `\`git checkout ${baseCommit} -- PATH\`, or \`git rm\` when it is new). Never print a secret again.`,
    'When that is done, finish as before. If the task needs exactly this change, say so and end blocked.',
  ].join('\n');
}

function describe({ rule, path, line, message }: PushProblem): string {
  const where = path === null ? '' : `${path}${line === null ? '' : `:${line}`}: `;
  return `${where}${message} (${rule})`;
}
