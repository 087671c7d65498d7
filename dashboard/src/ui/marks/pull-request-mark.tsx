import type { PullRequest } from '@switchyard/shared/api/work/pull-request';
import { Icon } from './icon.tsx';

const LOOKS = {
  open: { word: 'Open', icon: 'pull', look: 'running' },
  merged: { word: 'Merged', icon: 'completed', look: 'completed' },
  closed: { word: 'Closed', icon: 'cancelled', look: 'cancelled' },
} as const;

export function PullRequestMark(props: { pullRequest: Pick<PullRequest, 'status' | 'draft'> }) {
  const { pullRequest } = props;
  const { word, icon, look: style } = LOOKS[pullRequest.status];
  return (
    <span class={`status status-${style}`}>
      <Icon name={icon} size={14} />
      {pullRequest.draft && pullRequest.status === 'open' ? 'Draft' : word}
    </span>
  );
}
