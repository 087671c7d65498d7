import type { Checkpoint } from '@switchyard/shared/api/work/checkpoint';
import { useQuery } from '@tanstack/react-query';
import { type OwnAttempt, ownTokensAt } from '../../api/own-usage.ts';
import { checkpointsQuery } from '../../api/queries.ts';
import { formatCount } from '../../format/format-count.ts';
import { triggerWords } from '../../format/words.ts';
import { Ago } from '../../ui/marks/ago.tsx';
import { Skeleton } from '../../ui/data/query-view.tsx';

/** Older ones matter to nobody but the log. */
const SHOWN = 6;

/** From where the attempt's work can go on if its runner is lost, newest first. */
export function Checkpoints({ attempt }: { attempt: OwnAttempt }) {
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
          <CheckpointLine
            key={checkpoint.checkpointId}
            checkpoint={checkpoint}
            ownTokens={ownTokensAt(checkpoint, attempt)}
          />
        ))}
      </ol>
      {newest.length > SHOWN && <p class="quiet">and {newest.length - SHOWN} earlier</p>}
    </section>
  );
}

/** Keeps their place, for what stands below not to move. */
function Loading({ number }: { number: number }) {
  return (
    <section class="side-section">
      <h2>Checkpoints of #{number}</h2>
      <Skeleton lines={3} label="Loading the checkpoints" />
    </section>
  );
}

type CheckpointLineProps = {
  checkpoint: Checkpoint;
  /** What the attempt itself had used by then. */
  ownTokens: number;
};

function CheckpointLine({ checkpoint, ownTokens }: CheckpointLineProps) {
  const { trigger, commitSha, createdAt } = checkpoint;
  return (
    <li>
      <span class="checkpoint-when">
        Saved {triggerWords(trigger)} <Ago at={createdAt} />
      </span>
      <span class="checkpoint-what">
        {commitSha === null ? (
          <span title="Contains the conversation only">no changes yet</span>
        ) : (
          <code title={`Commit ${commitSha}`}>{commitSha.slice(0, 9)}</code>
        )}
        {ownTokens > 0 && (
          <span title={`${ownTokens} tokens used by this attempt so far`}>
            {formatCount(ownTokens)} tok
          </span>
        )}
      </span>
    </li>
  );
}
