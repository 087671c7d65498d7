import type { IssueDetail } from '@switchyard/shared/api/work/issue';
import { isStopping } from '@switchyard/shared/reasons/attempt-status';
import { isStoppable } from '@switchyard/shared/reasons/needs-of';
import { useState } from 'preact/hooks';
import { LOCAL_ENDED_STATES } from '../../api/local-states.ts';
import { PullRequestLink } from '../../ui/marks/pull-request-link.tsx';
import { shortcutsOf, useShortcuts } from '../../ui/overlays/shortcuts.ts';
import { type Control, ControlDialog } from '../control/control-dialog.tsx';
import { focusMessage } from '../control/message-field.tsx';
import { useRetry } from '../control/use-retry.ts';
import { SplitDialog } from '../tree/split-dialog.tsx';
import { OverrideDialog } from './override-dialog.tsx';
import { Button } from '../../ui/button.tsx';

const RETRYABLE = new Set(['failed', 'blocked', 'cancelled', 'completed', 'retrying']);

/** Whether an issue can be given sub-issues now; the pull request of delivered work comes first. */
function isSplittable({ tracker, state, status, pullRequestUrl }: IssueDetail): boolean {
  if (tracker !== 'local' || LOCAL_ENDED_STATES.has(state)) return false;
  return status !== 'running' && !(status === 'completed' && pullRequestUrl !== null);
}

/**
 * Actions for an issue in its current state. Stopping a run and retrying completed work need
 * confirmation.
 */
export function IssueActions({ issue }: { issue: IssueDetail }) {
  const retryAll = useRetry();
  const [asked, setAsked] = useState<Control | 'override' | 'split' | null>(null);
  const stoppable = isStoppable(issue) && !issue.attempts.some(isStopping);
  const retryable = RETRYABLE.has(issue.status);
  const running = issue.status === 'running';
  const splittable = isSplittable(issue);
  // An older instance, which responds until a newer one takes over, has no such field.
  const isSplit = (issue.subIssues ?? []).length > 0;
  const splitLabel = isSplit ? 'Add sub-issues' : 'Split into sub-issues';
  const retry = () => retryAll([issue]);
  const key = shortcutsOf('Issue');
  useShortcuts([
    ...(stoppable ? [key('a', 'Stop', () => setAsked('abort'))] : []),
    ...(running ? [key('s', 'Steer', () => focusMessage() || setAsked('steer'))] : []),
    ...(retryable ? [key('r', 'Retry', retry)] : []),
    ...(splittable ? [key('b', splitLabel, () => setAsked('split'))] : []),
    key('m', 'Move to another state', () => setAsked('move')),
    key('v', 'Choose model and template', () => setAsked('override')),
  ]);
  return (
    <>
      {issue.pullRequestUrl !== null && (
        <PullRequestLink url={issue.pullRequestUrl} label="Pull request" />
      )}
      <Button icon="sliders" onClick={() => setAsked('override')}>
        Model
      </Button>
      <Button onClick={() => setAsked('move')}>Move</Button>
      {splittable && (
        <Button
          icon="tree"
          title={splitLabel}
          aria-label={splitLabel}
          onClick={() => setAsked('split')}
        >
          {isSplit ? 'Add sub-issues' : 'Split'}
        </Button>
      )}
      {retryable && (
        <Button icon="retry" onClick={retry}>
          {issue.status === 'retrying' ? 'Retry now' : 'Retry'}
        </Button>
      )}
      {stoppable && (
        <Button icon="stop" onClick={() => setAsked('abort')}>
          Stop
        </Button>
      )}
      {asked === 'override' && <OverrideDialog issue={issue} onClose={() => setAsked(null)} />}
      {asked === 'split' && <SplitDialog issue={issue} onClose={() => setAsked(null)} />}
      {asked !== null && asked !== 'override' && asked !== 'split' && (
        <ControlDialog control={asked} issues={[issue]} onClose={() => setAsked(null)} />
      )}
    </>
  );
}
