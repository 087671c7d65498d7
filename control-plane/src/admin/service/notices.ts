import type { Notice } from '@switchyard/shared/api/work/state';
import { REASON_CATALOGUE } from '@switchyard/shared/reasons/reason-catalogue';
import type { ConfigProblem } from '../../config/config-store.ts';
import type { UpstreamPauseRow } from '../../db/schema/work/pauses.ts';
import type { RunnerRow } from '../../db/schema/runners/runners.ts';
import { pauseCode } from '../../attempts/upstreams/provider-upstream.ts';

type Causes = {
  runners: readonly RunnerRow[];
  problems: readonly ConfigProblem[];
  pauses: readonly UpstreamPauseRow[];
};

/**
 * Warnings for every page while their cause lasts. The id names the cause, so that a dismissed
 * warning reappears with a new cause.
 */
export function noticesOf({ runners, problems, pauses }: Causes, nowMs: number): Notice[] {
  const connected = runners.filter((runner) => runner.connected && runner.revoked_at_ms === null);
  const ofRunners = connected.flatMap((runner) =>
    runner.warnings.map((text) => ({
      id: `runner:${runner.runner_id}:${text}`,
      code: 'runner_warning' as const,
      detail: `${runner.name}: ${text}`,
      since: null,
      until: null,
    })),
  );
  const ofConfig = problems.map(({ message, blocksDispatch }) => ({
    id: `configuration:${message}`,
    code: blocksDispatch ? ('config_invalid' as const) : ('config_warning' as const),
    detail: message,
    since: null,
    until: null,
  }));
  const ofPauses = pauses.filter((pause) => holds(pause, nowMs)).map(ofPause);
  const all = [...ofPauses, ...ofConfig, ...ofRunners];
  return [...new Map(all.map((notice) => [notice.id, notice])).values()];
}

/**
 * Whether a pause blocks work: one that is due and has no canary does not, because the next attempt
 * tests it.
 */
function holds(pause: UpstreamPauseRow, nowMs: number): boolean {
  return pause.due_at_ms > nowMs || pause.canary_attempt_id !== null;
}

function ofPause(pause: UpstreamPauseRow): Notice {
  const code = pauseCode(pause);
  return {
    id: `upstream:${pause.upstream}:${pause.since_ms}`,
    code,
    detail: REASON_CATALOGUE[code].hasDetail ? pause.reason : null,
    since: new Date(pause.since_ms).toISOString(),
    until: new Date(pause.due_at_ms).toISOString(),
  };
}

/** A notice as text, for clients that show no notices. */
export function warningOf({ code, detail }: Notice): string {
  const { cause, next } = REASON_CATALOGUE[code];
  if (code === 'runner_warning') return detail ?? cause;
  if (code === 'config_warning' || code === 'config_invalid') return `configuration: ${detail}`;
  return `${cause}${detail === null ? '' : ` ${detail}.`} ${next}`;
}
