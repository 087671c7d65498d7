import type { IssueGroup } from '@switchyard/shared/api/work/issue-list';
import { Link } from '@tanstack/react-router';

/** How many are not shown here, and the part of the board that has them; nothing where all are. */
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
