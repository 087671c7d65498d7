import type { RunnerMessage } from '@switchyard/shared/protocol/messages';
import { cutText } from '@switchyard/shared/text/cut-text';
import type { Unreadable } from './frame.ts';

/** The answer to an invalid message: an offer is declined, anything else is an error. */
export function unreadableAnswer(problem: Unreadable): RunnerMessage {
  const { type, attemptId, epoch } = problem;
  if (type === 'offer' && attemptId !== undefined && epoch !== undefined && epoch >= 1) {
    const message = `the offer is not readable here: ${problem.why}`;
    return { type: 'decline', attemptId, epoch, code: 'SPEC_INVALID', message };
  }
  return {
    type: 'error',
    code: problem.knownType ? 'MALFORMED' : 'UNSUPPORTED',
    message: cutText(`${type}: ${problem.why}`, 1_000),
    retryable: false,
    ...(problem.ref === undefined ? {} : { ref: cutText(problem.ref, 64) }),
  };
}
