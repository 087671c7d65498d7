import { plural } from '../../format/format-count.ts';
import './diff-count.css';

/** `+12 −3`, said in words to those who cannot see the colours. */
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
