import { waitingForUpstream } from '@switchyard/shared/reasons/upstream-trouble';
import type { UpstreamPauseRow } from '../../db/schema/work/pauses.ts';
import {
  isCodeHost,
  pauseCode,
  upstreamMessage,
} from '../../attempts/upstreams/provider-upstream.ts';
import type { PausedUpstream, Why } from './decide-engine.ts';

/** A paused upstream in the form that decisions use. */
export function asPaused(row: UpstreamPauseRow, nowMs: number): PausedUpstream {
  return {
    upstream: row.upstream,
    why: whyPaused(row),
    open: row.due_at_ms <= nowMs && row.canary_attempt_id === null,
    dueAtMs: row.due_at_ms,
    failedKey: row.failed_issue,
  };
}

function whyPaused(row: UpstreamPauseRow): Why {
  const what = upstreamMessage(row.upstream);
  const isHost = isCodeHost(row.upstream);
  if (row.canary_attempt_id !== null) {
    const reason = `waiting for one attempt that tries ${what}`;
    return { code: isHost ? 'codehost_trial' : 'provider_trial', reason };
  }
  return { code: pauseCode(row), reason: waitingForUpstream(what, row.reason) };
}
