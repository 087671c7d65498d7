import { Link } from '@tanstack/react-router';

/** A link to an issue: its identifier, followed by its title if that is given. */
export function IssueLink({ identifier, title }: { identifier: string; title?: string }) {
  return (
    <Link
      to="/issues/$id"
      params={{ id: identifier }}
      className={title === undefined ? 'mono' : 'issue-link'}
    >
      {title === undefined ? identifier : <span class="mono">{identifier}</span>}
      {title !== undefined && <span dir="auto"> {title}</span>}
    </Link>
  );
}
