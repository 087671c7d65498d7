import type { Issue } from '@switchyard/shared/api/work/issue';
import { Link } from '@tanstack/react-router';

/** An issue in a row: its identifier and title, leading to its page. */
export function IssueLink({ issue }: { issue: Pick<Issue, 'identifier' | 'title'> }) {
  return (
    <Link to="/issues/$id" params={{ id: issue.identifier }} className="issue-link">
      <span class="mono">{issue.identifier}</span> <span dir="auto">{issue.title}</span>
    </Link>
  );
}
