import type { IssueGroup } from '@switchyard/shared/api/work/issue-list';
import { Link } from '@tanstack/react-router';

/**
 * Number of issues that are not shown here, with a link to the board; nothing where all are shown.
 */
export function MoreOnBoard({ count, need }: { count: number; need: IssueGroup }) {
  if (count <= 0) return null;
  return (
    <p class="panel-more">
      <Link to="/board" search={{ need }}>
        {count} more on the board
      </Link>
    </p>
  );
}
