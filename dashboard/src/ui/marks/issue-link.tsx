import { Link } from '@tanstack/react-router';

/** The way to an issue, by its identifier. */
export function IssueLink({ identifier }: { identifier: string }) {
  return (
    <Link to="/issues/$id" params={{ id: identifier }} className="mono">
      {identifier}
    </Link>
  );
}
