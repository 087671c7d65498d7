import { Link } from '@tanstack/react-router';
import { Icon } from './icon.tsx';

/** A link to a pull request: a page of this dashboard for the built-in code host, else its own. */
export function PullRequestLink({ url, label = 'PR' }: { url: string; label?: string }) {
  const id = /\/pull-requests\/([^/?#]+)$/.exec(url)?.[1];
  const content = (
    <>
      <Icon name="pull" size={12} /> {label}
    </>
  );
  if (id !== undefined) {
    return (
      <Link to="/pull-requests/$id" params={{ id: decodeURIComponent(id) }} className="pr-link">
        {content}
      </Link>
    );
  }
  // The address comes from a code host: anything but a web address stays text.
  if (!/^https?:\/\//.test(url)) return <span class="pr-link">{content}</span>;
  return (
    <a href={url} class="pr-link" target="_blank" rel="noreferrer noopener">
      {content}
    </a>
  );
}
