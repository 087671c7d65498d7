import { cutText } from '@switchyard/shared/text/cut-text';
import { redactUrls } from '../git/redact-urls.ts';
import { shownPath } from '../git/shown-path.ts';
import type { LeftAside, WorkProblem } from '../workspace.ts';

/** Prefix of lines on a program's standard error that are findings, not git's messages. */
export const FINDING_MARK = 'switchyard-finding ';

/** What the program in the workspace found besides the commit itself. */
export type Findings = {
  problems: WorkProblem[];
  /** Commits in the order of the bundle's `aside-N`. */
  aside: Omit<LeftAside, 'keptAs'>[];
  /** Whether it is doubtful which commit is the result. */
  unclear: boolean;
};

/** Problems of one snapshot; the next one finds further ones. */
export const MAX_PROBLEMS = 20;
const MAX_ASIDE = 20;
const MAX_FINDING_CHARS = 1_500;

const OPERATIONS: Record<string, WorkProblem> = {
  merge: {
    rule: 'merge_open',
    path: null,
    line: null,
    message: 'a merge is not finished: resolve it and commit, or `git merge --abort`',
  },
  rebase: {
    rule: 'rebase_open',
    path: null,
    line: null,
    message: 'a rebase is not finished: `git rebase --continue` or `git rebase --abort`',
  },
  cherry_pick: {
    rule: 'cherry_pick_open',
    path: null,
    line: null,
    message: 'a cherry-pick is not finished: `git cherry-pick --continue` or `--abort`',
  },
  revert: {
    rule: 'revert_open',
    path: null,
    line: null,
    message: 'a revert is not finished: `git revert --continue` or `git revert --abort`',
  },
  bisect: {
    rule: 'bisect_open',
    path: null,
    line: null,
    message: 'a bisection is open: `git bisect reset`',
  },
};

const LEFT_OUT: Record<string, Pick<WorkProblem, 'rule' | 'message'>> = {
  embedded_repository: {
    rule: 'embedded_repository',
    message:
      'has a .git of its own, so its files would be missing from the branch: remove that .git ' +
      '(of a linked worktree: `git worktree remove`), ignore the folder, or declare it in ' +
      '.gitmodules with a commit that others can fetch',
  },
  unreadable_path: {
    rule: 'unreadable_path',
    message:
      'cannot be read, so it would be missing from the branch: make it readable for the user you ' +
      'run as, remove it, or ignore it',
  },
};

const OF_SUBMODULE: Record<string, (folder: string) => Pick<WorkProblem, 'rule' | 'message'>> = {
  submodule_change: (folder) => ({
    rule: 'submodule_change',
    message:
      `is a change in the submodule ${folder}, and changes there are not delivered: undo it, or ` +
      'move it out of that folder',
  }),
  submodule_commits: (folder) => ({
    rule: 'submodule_commits',
    message:
      `is a submodule with commits of yours, and commits in ${folder} are not delivered: delete ` +
      'the branch or stash there that holds them',
  }),
  submodule_removed: (folder) => ({
    rule: 'submodule_removed',
    message:
      'is a submodule whose folder is gone: bring it back from the commit at which the branch ' +
      `begins (\`git checkout COMMIT -- '${folder}'\`), or, if the submodule is to be removed, take ` +
      'it out of .gitmodules as well',
  }),
};

/** Parses the findings in the script's output, which an agent may have manipulated. */
export function readFindings(stderr: string): Findings {
  const findings: Findings = { problems: [], aside: [], unclear: false };
  for (const line of stderr.split('\n')) {
    if (!line.startsWith(FINDING_MARK)) continue;
    const text = cutText(redactUrls(line.slice(FINDING_MARK.length)), MAX_FINDING_CHARS);
    read(shownPath(text), findings);
  }
  findings.problems.splice(MAX_PROBLEMS);
  findings.aside.splice(MAX_ASIDE);
  return findings;
}

/** The script's output without findings: git's messages. */
export function withoutFindings(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => !line.startsWith(FINDING_MARK));
  return lines.join('\n');
}

function read(text: string, findings: Findings): void {
  const [, kind = '', rest = ''] = /^(\w+) ?(.*)$/s.exec(text) ?? [];
  const { problems } = findings;
  const operation = kind === 'open' ? OPERATIONS[rest] : undefined;
  if (operation !== undefined) problems.push(operation);
  const leftOut = LEFT_OUT[kind];
  if (leftOut !== undefined && rest !== '') problems.push({ ...leftOut, path: rest, line: null });
  const [folder = '', name] = rest.split('//', 2);
  const ofSubmodule = folder === '' ? undefined : OF_SUBMODULE[kind];
  if (ofSubmodule !== undefined) {
    const path = name === undefined ? folder : `${folder}/${name}`;
    problems.push({ ...ofSubmodule(folder), path, line: null });
  }
  if (kind === 'unmerged') {
    const message = 'is in conflict and not resolved';
    problems.push({ rule: 'unmerged_path', path: rest, line: null, message });
  }
  if (kind === 'marker') {
    const [, line = '', path = ''] = /^(\d{1,9}) (.+)$/.exec(rest) ?? [];
    const message = 'has conflict markers';
    if (path !== '') problems.push({ rule: 'conflict_marker', path, line: Number(line), message });
  }
  if (kind === 'unrelated') {
    const message =
      'the branch shares no commit with the base branch, so it cannot be compared with it';
    problems.push({ rule: 'unrelated_history', path: null, line: null, message });
  }
  if (kind === 'unclear') findings.unclear = true;
  if (kind === 'aside') {
    const [, commitSha, name = '', subject = ''] =
      /^([0-9a-f]{40,64}) (\S+) ?(.*)$/.exec(rest) ?? [];
    if (commitSha !== undefined) findings.aside.push({ commitSha, name, subject });
  }
}
