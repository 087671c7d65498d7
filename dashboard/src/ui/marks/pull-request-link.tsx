import type { Issue } from '@switchyard/shared/api/work/issue';
import { Link } from '@tanstack/react-router';
import { Icon } from './icon.tsx';
import { isWebAddress } from '../is-web-address.ts';

type OfIssue = { issue: Pick<Issue, 'pullRequestUrl' | 'reasonCode'> };

/** A link to the pull request of an issue, which shows when it is merged; nothing without one. */
export function IssuePullRequestLink({ issue }: OfIssue) {
  if (issue.pullRequestUrl === null) return null;
  const label = issue.reasonCode === 'pull_request_merged' ? 'PR merged' : 'PR';
  return <PullRequestLink url={issue.pullRequestUrl} label={label} />;
}

/**
 * A link to a pull request: to this dashboard for the built-in code host, otherwise to its host.
 */
export function PullRequestLink({ url, label = 'PR' }: { url: string; label?: string }) {
  const id = ownPullRequest(url);
  const content = (
    <>
      <Icon name="pull" size={12} /> {label}
    </>
  );
  if (id !== null) {
    return (
      <Link to="/pull-requests/$id" params={{ id: id }} className="pr-link">
        {content}
      </Link>
    );
  }
  if (!isWebAddress(url)) return <span class="pr-link">{content}</span>;
  return (
    <a href={url} class="pr-link" target="_blank" rel="noreferrer noopener">
      {content}
    </a>
  );
}

/** Id of a pull request in an address of this dashboard; null for any other. */
function ownPullRequest(url: string): string | null {
  const { origin, pathname } = URL.canParse(url, location.origin)
    ? new URL(url, location.origin)
    : { origin: '', pathname: '' };
  const id = /^\/pull-requests\/([^/]+)$/.exec(pathname)?.[1];
  return origin === location.origin && id !== undefined && /^\w+$/.test(id) ? id : null;
}
