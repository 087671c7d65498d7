import type { IssueDetail } from '@switchyard/shared/api/work/issue';
import { isStopping } from '@switchyard/shared/reasons/attempt-status';
import { isStoppable } from '@switchyard/shared/reasons/needs-of';
import { useState } from 'preact/hooks';
import { PullRequestLink } from '../../ui/marks/pull-request-link.tsx';
import { shortcutsOf, useShortcuts } from '../../ui/overlays/shortcuts.ts';
import { type Control, ControlDialog } from '../control/control-dialog.tsx';
import { focusMessage } from '../control/message-field.tsx';
import { useRetry } from '../control/use-retry.ts';
import { OverrideDialog } from './override-dialog.tsx';
import { Button } from '../../ui/button.tsx';

const RETRYABLE = new Set(['failed', 'blocked', 'cancelled', 'completed', 'retrying']);

/**
 * Actions for an issue in its current state. Stopping a run and retrying completed work need
 * confirmation.
 */
export function IssueActions({ issue }: { issue: IssueDetail }) {
  const retryAll = useRetry();
  const [asked, setAsked] = useState<Control | 'override' | null>(null);
  const stoppable = isStoppable(issue) && !issue.attempts.some(isStopping);
  const retryable = RETRYABLE.has(issue.status);
  const running = issue.status === 'running';
  const retry = () => retryAll([issue]);
  const key = shortcutsOf('Issue');
  useShortcuts([
    ...(stoppable ? [key('a', 'Stop', () => setAsked('abort'))] : []),
    ...(running ? [key('s', 'Steer', () => focusMessage() || setAsked('steer'))] : []),
    ...(retryable ? [key('r', 'Retry', retry)] : []),
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
      {asked !== null && asked !== 'override' && (
        <ControlDialog control={asked} issues={[issue]} onClose={() => setAsked(null)} />
      )}
    </>
  );
}
