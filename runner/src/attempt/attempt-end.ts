import type { ReasonCode } from '@switchyard/shared/api/work/reason-code';
import type { AttemptOutcome, FailureKind, TokenUsage } from '@switchyard/shared/api/work/attempt';
import { startBlockedBy } from '@switchyard/shared/reasons/needs-person';
import { messageOf } from '@switchyard/shared/message-of';
import type { ContainerExit } from '../container/container-engine.ts';
import { type ModelRefusal, SILENCE_CODES } from '../egress/model/model-report.ts';
import type { TurnFailure } from '../engine/agent-engine.ts';
import { isLogLine } from '../engine/is-log-line.ts';
import { WorkspaceError } from '../workspace/workspace.ts';
import type { Finish } from '../connection/journal/journal.ts';

export type Marker = 'DONE' | 'BLOCKED';
export type Delivery = NonNullable<Finish['delivery']>;
export type Merged = NonNullable<Finish['merged']>;

const SHOWN_LINES = 5;
const SILENT: ReadonlySet<string | null> = new Set(Object.values(SILENCE_CODES));

/** How an attempt ended, as data: the content of `finish` except the digest. */
export type AttemptEnd = {
  outcome: AttemptOutcome;
  failureKind?: FailureKind;
  /** A more precise cause than the kind. */
  reasonCode?: ReasonCode;
  /** Which upstream failed, if it is not the model provider. */
  upstream?: Finish['upstream'];
  message?: string;
  marker: Marker | null;
  summary: string | null;
  usage?: TokenUsage;
  resetAtMs?: number;
  delivery?: Delivery;
  merged?: Merged;
};

/** The end of an attempt whose work is kept but not pushed. */
export function stillToPush(
  delivery: Delivery,
  why: string,
): Pick<AttemptEnd, 'delivery' | 'message'> {
  return { delivery, message: `not pushed yet: ${why}` };
}

/** Ends an attempt from inside a step, with a message for people. */
export class AttemptFailed extends Error {
  readonly outcome: AttemptOutcome;
  readonly failureKind: FailureKind;
  readonly reasonCode: ReasonCode | undefined;
  readonly resetAtMs: number | undefined;
  readonly upstream: Finish['upstream'];
  /** The work to deliver, which is kept. */
  readonly delivery: Delivery | undefined;
  constructor(
    failureKind: FailureKind,
    message: string,
    more: {
      reasonCode?: ReasonCode;
      resetAtMs?: number;
      upstream?: Finish['upstream'];
      delivery?: Delivery;
    } = {},
  ) {
    super(message);
    this.name = 'AttemptFailed';
    this.outcome = outcomeOf(failureKind);
    this.failureKind = failureKind;
    this.reasonCode = more.reasonCode;
    this.resetAtMs = more.resetAtMs;
    this.upstream = more.upstream;
    this.delivery = more.delivery;
  }
}

function outcomeOf(kind: FailureKind): AttemptOutcome {
  if (kind === 'container_oom') return 'oom';
  if (kind === 'turn_stalled' || kind === 'agent_stalled') return 'stalled';
  return 'failed';
}

/** The attempt's failure for a failed turn. */
export function failureOfTurn(failure: TurnFailure | undefined): AttemptFailed {
  if (failure === undefined)
    return new AttemptFailed('agent_error', 'the turn failed without saying why');
  const { kind, message, resetAtMs, isSilence } = failure;
  if (kind === 'context_exceeded') return contextExceeded(message);
  return new AttemptFailed(kind, message, {
    ...(resetAtMs === undefined ? {} : { resetAtMs }),
    ...(isSilence === true ? { reasonCode: 'provider_silent' } : {}),
  });
}

/** The turn's failure for a refusal of the model provider, in the provider's own words. */
export function turnFailure({ kind, message, status, code, resetAtMs }: ModelRefusal): TurnFailure {
  const answer = [status, code].filter((part) => part !== null).join(' ');
  const text = status === null ? message : `${message} (the model provider answered ${answer})`;
  const isSilence = status === null && SILENT.has(code);
  return {
    kind,
    message: text,
    ...(resetAtMs === null ? {} : { resetAtMs }),
    ...(isSilence ? { isSilence } : {}),
  };
}

function contextExceeded(message: string): AttemptFailed {
  const why =
    'the conversation does not fit the context window of the model, not even in a new thread';
  const reasonCode = 'context_exceeded';
  return new AttemptFailed('agent_error', `${why}: ${message}`, { reasonCode });
}

/**
 * The failure for an engine that exited unexpectedly. Exit code 0 is no success, because turns end
 * with a message. Its last output is included as such; it need not be the cause.
 */
export function failureOfExit(exit: ContainerExit, stderrTail: string): AttemptFailed {
  if (exit.oom)
    return new AttemptFailed('container_oom', 'the container ran out of memory and was killed');
  const tail = lastLines(stderrTail);
  return new AttemptFailed(
    'agent_error',
    `the agent engine ${howEnded(exit)}${tail === '' ? '' : `; its last output: ${tail}`}`,
    { reasonCode: exit.signal === null ? 'engine_ended' : 'engine_killed' },
  );
}

function howEnded({ exitCode, signal }: ContainerExit): string {
  if (signal !== null) return `was killed from outside (signal ${signal})`;
  if (exitCode !== null) return `ended by itself (exit code ${exitCode})`;
  return 'ended and left no exit code, as when its supervisor is killed too or its container removed';
}

/**
 * The last lines of stderr; log lines only if there is nothing else. The attempt's log has all of
 * it.
 */
function lastLines(stderr: string): string {
  const lines = stderr
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-SHOWN_LINES);
  const others = lines.filter((line) => !isLogLine(line));
  return (others.length === 0 ? lines.slice(-1) : others).join('\n').trim();
}

/**
 * Gives an unexpected error the failure kind of its step. A failure of the code host is separate,
 * since a later retry may succeed.
 */
export function failureOfStep(error: unknown, kind: FailureKind): AttemptFailed {
  if (error instanceof AttemptFailed) return error;
  if (!(error instanceof WorkspaceError)) return new AttemptFailed(kind, messageOf(error));
  const upstream = 'codehost';
  const { code, message } = error;
  if (code === 'host_unreachable')
    return new AttemptFailed('provider_unreachable', message, { upstream });
  if (code === 'host_auth_failed') return new AttemptFailed('auth_failed', message, { upstream });
  const reasonCode = startBlockedBy(code);
  if (reasonCode !== null) return new AttemptFailed(kind, message, { reasonCode });
  return new AttemptFailed(kind, `${code}: ${message}`);
}
