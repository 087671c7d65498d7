import { Link } from '@tanstack/react-router';

/** The way to an issue, by its identifier; in a row of its own with its title. */
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
