import type { HealthSignal, HealthStatus } from '@switchyard/shared/api/observability';
import { cutText } from '@switchyard/shared/text/cut-text';

/** The facts from rows and configuration by which health is judged. */
export type HealthFacts = {
  nowMs: number;
  leads: boolean;
  leadsSinceMs: number;
  databaseMs: number;
  poll: {
    status: string;
    atMs: number;
    sinceMs: number;
    error: string | null;
    /**
     * Time until the next poll, milliseconds; longer while little of the tracker's rate limit is
     * left.
     */
    intervalMs: number | null;
    /** Remaining share of the rate limit, 0 to 1; null when the tracker does not report it. */
    allowanceLeft: number | null;
  } | null;
  pollIntervalMs: number;
  /** Issues of the tracker that cannot be read. */
  unreadable: {
    issues: { id: string | null; name: string | null; problem: string; sinceMs: number }[];
    total: number;
  };
  comments: {
    unheard: { source: string; why: string; sinceMs: number }[];
    unreadable: { issue: string | null; problem: string; seenAtMs: number }[];
  } | null;
  runners: { connected: boolean; draining: boolean; lastSeenAtMs: number | null }[];
  webhooks: {
    provider: string;
    configured: boolean;
    healthy: boolean;
    dead: number;
    lastDeliveryAt: string | null;
  }[];
  /** Refused webhooks, newest first. */
  refusals: { provider: string | null; lastAt: string; message: string }[];
  outbox: { pending: number; retried: number; oldestMs: number | null; dead: number };
  config: {
    problems: { message: string; severity: 'error' | 'warning' }[];
    baseFile: { name: string; inForce: boolean; takenAt: string | null } | null;
  };
  upstreams: { upstream: string; reason: string; sinceMs: number; dueAtMs: number }[];
  channels: {
    name: string;
    status: string;
    lastError: string | null;
    lastSuccessAt: string | null;
  }[];
  paused: { reason: string; sinceMs: number } | null;
};

/** A small read that takes longer than this means a slow database. */
const SLOW_DATABASE_MS = 500;
/** Missed poll intervals after which polls count as missing. */
const MISSED_POLLS = 4;
/** Below this share of the tracker's rate limit, requests are about to be refused. */
const SCARCE_ALLOWANCE = 0.1;
const MAX_MESSAGE_CHARS = 500;
/** Age up to which refused webhooks are shown; older ones have probably been fixed. */
const REFUSAL_SHOWN_MS = 86_400_000;
/** Issues that a signal names; of further ones it gives the number. */
const MAX_NAMED = 3;

/** Health signals, one for each part; a part that is not configured says so and is ok. */
export function judgeHealth(facts: HealthFacts): HealthSignal[] {
  return [
    signal(
      'database',
      facts.databaseMs > SLOW_DATABASE_MS ? 'degraded' : 'ok',
      `answers in ${Math.round(facts.databaseMs)} ms`,
    ),
    facts.leads
      ? signal('leadership', 'ok', 'Leader: this instance', facts.leadsSinceMs)
      : signal('leadership', 'ok', 'Standby: another instance leads'),
    judgeTracker(facts),
    ...judgeRecords(facts),
    ...judgeComments(facts),
    judgeRunners(facts),
    ...judgeWebhooks(facts),
    judgeOutbox(facts),
    judgeConfig(facts),
    ...facts.upstreams.map(({ upstream, reason, sinceMs, dueAtMs }) =>
      signal(
        `upstream ${upstream}`,
        'degraded',
        `paused, tried again at ${iso(dueAtMs)}: ${reason}`,
        sinceMs,
      ),
    ),
    ...facts.channels.map(({ name, status, lastError, lastSuccessAt }) =>
      status === 'failing'
        ? signal(`notifications ${name}`, 'degraded', lastError ?? 'deliveries fail', lastSuccessAt)
        : signal(`notifications ${name}`, 'ok', status === 'ok' ? 'delivers' : 'not used yet'),
    ),
    facts.paused === null
      ? signal('dispatch', 'ok', 'Dispatching normally')
      : signal('dispatch', 'degraded', `paused: ${facts.paused.reason}`, facts.paused.sinceMs),
  ];
}

/** The worst of some signals. */
export function worstOf(signals: readonly HealthSignal[]): HealthStatus {
  const has = (status: HealthStatus) => signals.some((each) => each.status === status);
  if (has('down')) return 'down';
  return has('degraded') ? 'degraded' : 'ok';
}

/** Creates a signal; `since` is epoch milliseconds or ISO 8601. */
export function signal(
  name: string,
  status: HealthStatus,
  message: string,
  since: number | string | null = null,
): HealthSignal {
  return {
    name,
    status,
    since: typeof since === 'number' ? iso(since) : since,
    message: cutText(message, MAX_MESSAGE_CHARS),
  };
}

function judgeTracker({ poll, pollIntervalMs, nowMs, leads }: HealthFacts): HealthSignal {
  if (poll === null) return signal('tracker', 'ok', 'not polled yet');
  const intervalMs = Math.max(pollIntervalMs, poll.intervalMs ?? 0);
  const last = `last asked ${iso(poll.atMs)}${allowanceText(poll, pollIntervalMs)}`;
  if (poll.status !== 'success') {
    return signal('tracker', 'down', poll.error ?? `the last poll failed; ${last}`, poll.sinceMs);
  }
  if (leads && nowMs - poll.atMs > MISSED_POLLS * intervalMs) {
    return signal('tracker', 'degraded', `no poll for long; ${last}`, poll.atMs);
  }
  const isScarce = (poll.allowanceLeft ?? 1) < SCARCE_ALLOWANCE;
  return signal('tracker', isScarce ? 'degraded' : 'ok', last, poll.sinceMs);
}

/** The remaining rate limit of the tracker, if known, and its effect on polling. */
function allowanceText(
  { allowanceLeft, intervalMs }: NonNullable<HealthFacts['poll']>,
  usualMs: number,
): string {
  if (allowanceLeft === null) return '';
  const left = `; ${Math.round(allowanceLeft * 100)} % of its hourly allowance is left`;
  if (intervalMs === null || intervalMs <= usualMs) return left;
  const seconds = (ms: number) => `${Math.round(ms / 1_000)} s`;
  return `${left}, so it is asked every ${seconds(intervalMs)} instead of ${seconds(usualMs)}`;
}

/** The signal about unreadable issues; none while every issue can be read. */
function judgeRecords({ unreadable: { issues, total } }: HealthFacts): HealthSignal[] {
  if (total === 0) return [];
  const named = issues.slice(0, MAX_NAMED);
  const which = named.map(({ id, name, problem }) => `${name ?? id ?? 'one'} (${problem})`);
  const more = total > named.length ? ` and ${total - named.length} more` : '';
  const what = total === 1 ? 'one issue cannot be read' : `${total} issues cannot be read`;
  const message = `${what}: ${which.join('; ')}${more}`;
  const sinceMs = Math.min(...issues.map((issue) => issue.sinceMs));
  return [signal('tracker records', 'degraded', message, sinceMs)];
}

/** The signal about comments that cannot be read or whose source is not heard; none without any. */
function judgeComments({ comments }: HealthFacts): HealthSignal[] {
  const { unheard: unreadSources, unreadable } = comments ?? { unheard: [], unreadable: [] };
  const problems = [
    ...unreadSources.map(({ source, why }) => `comments of ${source} are not heard: ${why}`),
    ...unreadable.map(
      ({ issue, problem }) => `a comment on ${issue ?? 'an issue'} cannot be read (${problem})`,
    ),
  ];
  if (problems.length === 0) return [];
  const times = [
    ...unreadSources.map((each) => each.sinceMs),
    ...unreadable.map((one) => one.seenAtMs),
  ];
  return [signal('tracker comments', 'degraded', problems.join('; '), Math.min(...times))];
}

function judgeRunners({ runners }: HealthFacts): HealthSignal {
  const connected = runners.filter((runner) => runner.connected);
  if (runners.length === 0) return signal('runners', 'degraded', 'no runner has joined');
  if (connected.length === 0) {
    const lastMs = Math.max(...runners.map((runner) => runner.lastSeenAtMs ?? 0));
    return signal('runners', 'down', 'no runner is connected', lastMs === 0 ? null : lastMs);
  }
  const taking = connected.filter((runner) => !runner.draining).length;
  const message = `${connected.length} of ${runners.length} connected`;
  return taking === 0
    ? signal('runners', 'degraded', `${message}, all draining`)
    : signal('runners', 'ok', message);
}

/**
 * The signal about webhooks. Refused ones are shown without an alarm, since anybody can send them.
 */
function judgeWebhooks({ webhooks, refusals, nowMs }: HealthFacts): HealthSignal[] {
  const refusedOf = (provider: string | null, sinceMs: number): string[] => {
    const found = refusals.find((each) => each.provider === provider);
    const isShown = found !== undefined && Date.parse(found.lastAt) > sinceMs;
    return isShown ? [`refused deliveries, the last at ${found.lastAt}: ${found.message}`] : [];
  };
  const lately = nowMs - REFUSAL_SHOWN_MS;
  const signals = webhooks.map(({ provider, configured, healthy, dead, lastDeliveryAt }) => {
    const name = `webhooks ${provider}`;
    const lastMs = lastDeliveryAt === null ? lately : Date.parse(lastDeliveryAt);
    const refused = refusedOf(provider, Math.max(lately, lastMs));
    const messageOf = (...own: string[]) => [...own, ...refused].join('; ');
    if (dead > 0) return signal(name, 'degraded', messageOf(`${dead} dead deliveries`));
    if (!configured) return signal(name, 'ok', messageOf('Not configured (polling)'));
    const last = lastDeliveryAt === null ? 'no delivery yet' : `last at ${lastDeliveryAt}`;
    if (healthy) return signal(name, 'ok', messageOf(last));
    return signal(name, 'ok', messageOf(`quiet: ${last}`, 'polling at the usual interval'));
  });
  const lost = refusedOf(null, lately).map((message) =>
    signal('webhooks elsewhere', 'ok', message),
  );
  return [...signals, ...lost];
}

function judgeOutbox({ outbox }: HealthFacts): HealthSignal {
  const { pending, retried, oldestMs, dead } = outbox;
  const message = `${pending} queued, ${retried} retrying, ${dead} dead`;
  return signal('outbox', dead > 0 || retried > 0 ? 'degraded' : 'ok', message, oldestMs);
}

function judgeConfig({ config: { problems, baseFile } }: HealthFacts): HealthSignal {
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) {
    const messages = errors.map(({ message }) => message).join('; ');
    const since = baseFile?.inForce === false ? baseFile.takenAt : null;
    return signal(
      'configuration',
      'degraded',
      `using the last valid configuration: ${messages}`,
      since,
    );
  }
  const joined = problems.map(({ message }) => message).join('; ');
  return signal('configuration', 'ok', joined === '' ? 'Valid' : joined);
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
