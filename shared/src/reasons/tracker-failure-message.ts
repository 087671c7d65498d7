import type { TrackerFailure } from '../api/work/issue.ts';

/** The text for a change that failed in the tracker, and what happens next. */
export function trackerFailureMessage({ change, state, tries, nextTryAt }: TrackerFailure): {
  cause: string;
  next: string;
} {
  const cause = {
    state: `The issue could not be moved to ${state ?? 'its next state'} in the tracker.`,
    comment: 'The comment in the tracker could not be brought up to date.',
    link: 'The pull request could not be linked in the tracker.',
    session: 'What the agent says could not be shown in the tracker.',
  }[change];
  const tried = tries === 1 ? 'once' : `${tries} times`;
  if (nextTryAt !== null) return { cause, next: `It was tried ${tried} and is retried.` };
  const hand = change === 'state' ? 'move the issue there by hand, and ' : '';
  const next = `It was tried ${tried} and given up: ${hand}check what the credentials may change.`;
  return { cause, next };
}
