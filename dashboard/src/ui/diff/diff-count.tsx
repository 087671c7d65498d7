import { plural } from '../../format/format-count.ts';
import './diff-count.css';

/** Added and removed lines, `+12 −3`, with a text for people who cannot see the colours. */
export function DiffCount({ additions, deletions }: { additions: number; deletions: number }) {
  return (
    <span
      class="diff-count"
      title={`${plural(additions, 'addition')}, ${plural(deletions, 'deletion')}`}
    >
      <ins>+{additions}</ins> <del>−{deletions}</del>
    </span>
  );
}
