import { cutText } from '@switchyard/shared/text/cut-text';
import type { EngineEvent } from '../../agent-engine.ts';
import { mapFailure } from './map-failure.ts';
import type { PromptOutcome } from './acp-journal.ts';

type TurnEnded = Extract<EngineEvent, { kind: 'turn_ended' }>;

/** Stop reasons after which the work may continue in a further turn, with texts for people. */
const STOPPED_EARLY: Record<string, string> = {
  max_tokens: 'its answer reached the longest length that the model allows',
  max_turn_requests: 'it made as many requests in one turn as it allows itself',
};

export type TurnEnd = { ended: TurnEnded; notice?: string };

/**
 * The end of a turn from its prompt's answer. After a cancellation every answer means cancelled,
 * because agents then report other reasons or errors.
 */
export function endOfTurn(
  turnId: string,
  outcome: PromptOutcome,
  { cancelled }: { cancelled: boolean },
): TurnEnd {
  const ended = { kind: 'turn_ended' as const, turnId };
  if (cancelled) return { ended: { ...ended, status: 'interrupted' } };
  if ('error' in outcome) {
    return { ended: { ...ended, status: 'failed', failure: mapFailure(outcome.error) } };
  }
  const { stopReason } = outcome;
  if (stopReason === 'end_turn') return { ended: { ...ended, status: 'completed' } };
  if (stopReason === 'cancelled') return { ended: { ...ended, status: 'interrupted' } };
  const why = STOPPED_EARLY[stopReason];
  if (why !== undefined) {
    return { ended: { ...ended, status: 'completed' }, notice: `The agent stopped early: ${why}.` };
  }
  const message =
    stopReason === 'refusal'
      ? 'the model refused to go on with this conversation'
      : `the agent ended its turn for a reason that is not known: ${cutText(stopReason, 200)}`;
  return { ended: { ...ended, status: 'failed', failure: { kind: 'agent_error', message } } };
}
