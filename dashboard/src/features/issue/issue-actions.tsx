import type { IssueDetail } from '@switchyard/shared/api/work/issue';
import { useState } from 'preact/hooks';
import { Icon } from '../../ui/marks/icon.tsx';
import { PullRequestLink } from '../../ui/marks/pull-request-link.tsx';
import { useShortcuts } from '../../ui/overlays/shortcuts.ts';
import { type Control, ControlDialog } from '../control/control-dialog.tsx';
import { useRetry } from '../control/use-retry.ts';
import { OverrideDialog } from './override-dialog.tsx';

const STOPPABLE = new Set(['running', 'queued', 'retrying']);
const RETRYABLE = new Set(['failed', 'blocked', 'cancelled', 'completed', 'retrying']);

/** What a person can do with an issue now. What stops a run is asked about first. */
export function IssueActions({ issue }: { issue: IssueDetail }) {
  const retryAll = useRetry();
  const [asked, setAsked] = useState<Control | 'override' | null>(null);
  const stoppable = STOPPABLE.has(issue.status);
  const retryable = RETRYABLE.has(issue.status);
  const running = issue.status === 'running';
  const retry = () => retryAll([issue.identifier]);
  const key = (keys: string, label: string, run: () => void) => ({
    keys,
    label,
    group: 'Issue',
    run,
  });
  useShortcuts([
    ...(stoppable ? [key('a', 'Abort', () => setAsked('abort'))] : []),
    ...(running ? [key('s', 'Steer', () => setAsked('steer'))] : []),
    ...(retryable ? [key('r', 'Retry', retry)] : []),
    key('m', 'Move to another state', () => setAsked('move')),
    key('v', 'Choose model and template', () => setAsked('override')),
  ]);
  return (
    <>
      {issue.pullRequestUrl !== null && (
        <PullRequestLink url={issue.pullRequestUrl} label="Pull request" />
      )}
      <button type="button" class="button" onClick={() => setAsked('override')}>
        <Icon name="sliders" size={14} /> Model
      </button>
      <button type="button" class="button" onClick={() => setAsked('move')}>
        Move
      </button>
      {retryable && (
        <button type="button" class="button" onClick={retry}>
          <Icon name="retry" size={14} /> {issue.status === 'retrying' ? 'Retry now' : 'Retry'}
        </button>
      )}
      {stoppable && (
        <button type="button" class="button" onClick={() => setAsked('abort')}>
          <Icon name="stop" size={14} /> Abort
        </button>
      )}
      {asked === 'override' && <OverrideDialog issue={issue} onClose={() => setAsked(null)} />}
      {asked !== null && asked !== 'override' && (
        <ControlDialog control={asked} issues={[issue]} onClose={() => setAsked(null)} />
      )}
    </>
  );
}
