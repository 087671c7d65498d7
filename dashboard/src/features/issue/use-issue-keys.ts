import type { IssueDetail } from '@switchyard/shared/api/work/issue';
import { useNavigate } from '@tanstack/react-router';
import { shortcutsOf, useShortcuts } from '../../ui/overlays/shortcuts.ts';

/** Keyboard shortcuts of an issue's page, for its views and its attempts. */
export function useIssueKeys(issue: IssueDetail, chosen: string | undefined): void {
  const navigate = useNavigate({ from: '/issues/$id' });
  const show = (view: 'changes' | 'timeline' | null) =>
    void navigate({
      search: ({ attempt }) => ({
        ...(attempt === undefined ? {} : { attempt }),
        ...(view === null ? {} : { view }),
      }),
      replace: true,
    });
  const step = (by: 1 | -1) => {
    const wanted = chosen ?? issue.currentAttemptId;
    const index = issue.attempts.findIndex((attempt) => attempt.attemptId === wanted);
    const next = issue.attempts[Math.max(0, index) + by];
    if (next !== undefined) void navigate({ search: { attempt: next.attemptId }, replace: true });
  };
  const key = shortcutsOf('Issue');
  useShortcuts([
    key('1', 'Log', () => show(null)),
    key('2', 'Changes', () => show('changes')),
    key('3', 'Timeline', () => show('timeline')),
    key('h', 'Previous attempt', () => step(1)),
    key('l', 'Next attempt', () => step(-1)),
  ]);
}
