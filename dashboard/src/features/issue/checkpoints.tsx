import type { Attempt } from '@switchyard/shared/api/work/attempt';
import type { Checkpoint } from '@switchyard/shared/api/work/checkpoint';
import { useQuery } from '@tanstack/react-query';
import { checkpointsQuery } from '../../api/queries.ts';
import { formatCount } from '../../format/format-count.ts';
import { triggerLabel } from '../../format/labels.ts';
import { Ago } from '../../ui/marks/ago.tsx';
import { Skeleton } from '../../ui/data/query-view.tsx';

/** Number of checkpoints shown; older ones are only in the log. */
const SHOWN = 6;

/** States from which the attempt's work can resume if its runner is lost, newest first. */
export function Checkpoints({ attempt }: { attempt: Attempt }) {
  const { number } = attempt;
  const { data, isPending } = useQuery(checkpointsQuery(attempt.attemptId));
  if (isPending) return <Loading number={number} />;
  if (data === undefined || data.checkpoints.length === 0) return null;
  const newest = data.checkpoints.toReversed();
  return (
    <section class="side-section">
      <h2>
        Checkpoints of #{number} <span class="count">{newest.length}</span>
      </h2>
      <ol class="checkpoints">
        {newest.slice(0, SHOWN).map((checkpoint) => (
          <CheckpointLine key={checkpoint.checkpointId} checkpoint={checkpoint} />
        ))}
      </ol>
      {newest.length > SHOWN && <p class="quiet">and {newest.length - SHOWN} earlier</p>}
    </section>
  );
}

/** A placeholder of the same height, so that content below does not move. */
function Loading({ number }: { number: number }) {
  return (
    <section class="side-section">
      <h2>Checkpoints of #{number}</h2>
      <Skeleton lines={3} label="Loading the checkpoints" />
    </section>
  );
}

function CheckpointLine({ checkpoint }: { checkpoint: Checkpoint }) {
  const { trigger, commitSha, createdAt, tokens } = checkpoint;
  return (
    <li>
      <span class="checkpoint-when">
        Saved {triggerLabel(trigger)} <Ago at={createdAt} />
      </span>
      <span class="checkpoint-what">
        {commitSha === null ? (
          <span title="Contains the conversation only">no changes yet</span>
        ) : (
          <code title={`Commit ${commitSha}`}>{commitSha.slice(0, 9)}</code>
        )}
        {tokens.total > 0 && (
          <span title={`${tokens.total} tokens used by this attempt so far`}>
            {formatCount(tokens.total)} tok
          </span>
        )}
      </span>
    </li>
  );
}
