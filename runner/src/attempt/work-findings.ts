import type { LeftAside, Snapshot, WorkProblem } from '../workspace/workspace.ts';

/** What a snapshot of the workspace found, without the size of the change. */
export type WorkFindings = Pick<Snapshot, 'commitSha' | 'problems' | 'aside' | 'unclear'>;

/** A snapshot's findings with the size of the change. */
export type TakenWork = WorkFindings & Pick<Snapshot, 'diffStat'>;

const SHOWN = 10;
const SHORT_SHA = 12;

/**
 * The text that asks the agent to repair its work, or (if `mayAsk`) which commits belong to it;
 * null when the work is clear.
 */
export function findingsText(
  work: WorkFindings,
  { branch, baseCommit }: { branch: string; baseCommit: string },
  { mayAsk }: { mayAsk: boolean },
): string | null {
  if (work.problems.length > 0) {
    const lines = work.problems.slice(0, SHOWN).map((problem) => `- ${problemText(problem)}`);
    return [
      'Your work was not delivered, because the state of the repository does not allow it:',
      '',
      ...lines,
      '',
      `Put this right and commit everything on the branch ${branch}, which begins at ${baseCommit}.`,
      'A file that contains conflict markers on purpose needs the attribute `conflict-marker-size=32`',
      'in .gitattributes. When that is done, finish as before.',
    ].join('\n');
  }
  if (!mayAsk || (work.aside.length === 0 && !work.unclear)) return null;
  const tip = work.commitSha === null ? 'nothing' : `commit ${short(work.commitSha)}`;
  return [
    `It is not clear which of your commits are the result. As it stands, ${tip} would be delivered.`,
    ...(work.aside.length === 0 ? [] : ['These would not be in it:', '']),
    ...work.aside.slice(0, SHOWN).map((one) => `- ${asideText(one)}`),
    '',
    `Bring everything that belongs to the result together on the branch ${branch} (\`git merge\`,`,
    '`git cherry-pick`, `git stash pop`), check it out and finish as before. If it is right as it',
    'stands, finish again without changing anything.',
  ].join('\n');
}

/** The text that asks the agent to repair work of which no snapshot could be taken. */
export function faultText(
  { message }: Error,
  { branch, baseCommit }: { branch: string; baseCommit: string },
): string {
  return [
    'Your work was not delivered, because it cannot be taken as it is:',
    '',
    message,
    '',
    `Put this right and commit everything on the branch ${branch}, which begins at ${baseCommit}.`,
    'What is in a commit stays in the history, also when a later one deletes it: to take it out,',
    `\`git reset --soft ${baseCommit}\`, \`git rm --cached\` what does not belong there, and commit`,
    'again. Leave no copy of it in other branches or the stash. When that is done, finish as before.',
  ].join('\n');
}

/** Explains to people why the work cannot be delivered; null when it can. */
export function undeliverable(work: WorkFindings): string | null {
  const clear = !work.unclear && work.aside.length === 0;
  // An open bisection only moves HEAD: it hides no work while all commits are on one branch.
  const hard = work.problems.filter(({ rule }) => rule !== 'bisect_open' || !clear);
  if (hard.length === 0) return null;
  const named = hard.slice(0, 3).map(problemText).join('; ');
  return `not pushed: ${named}${hard.length > 3 ? `; and ${hard.length - 3} more` : ''}`;
}

/** Lists for people the commits that were not delivered; null when every commit was. */
export function leftOutText(aside: readonly LeftAside[]): string | null {
  if (aside.length === 0) return null;
  const named = aside
    .slice(0, SHOWN)
    .map((one) => `${asideText(one)}, kept on the runner as ${one.keptAs}`);
  const more = aside.length > SHOWN ? [`and ${aside.length - SHOWN} more`] : [];
  return `Not delivered: ${[...named, ...more].join('; ')}.`;
}

export function problemText({ rule, path, line, message }: WorkProblem): string {
  const where = path === null ? '' : `${path}${line === null ? '' : `:${line}`} `;
  return `${where}${message} (${rule})`;
}

function asideText({ name, commitSha, subject }: LeftAside): string {
  const where = name.startsWith('HEAD@') ? 'a detached HEAD' : name.replace(/^refs\/heads\//, '');
  return `commit ${short(commitSha)} "${subject}" (${where})`;
}

function short(commitSha: string): string {
  return commitSha.slice(0, SHORT_SHA);
}
