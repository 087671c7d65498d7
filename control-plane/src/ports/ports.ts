/**
 * What the control plane needs from the outside. The core depends on these ports and on web
 * standards only; `platform/` implements them, tests use fakes with their own clock.
 */
import type {
  ControlPlaneMessage,
  LiveTextItem,
  RunnerMessageOf,
} from '@switchyard/shared/protocol/messages';
import type { CallMethod, CallParams, CallValue } from '@switchyard/shared/protocol/calls';
import type { RefusalReason } from '@switchyard/shared/api/admin/webhook';
import type { IdKind } from '@switchyard/shared/ids';
import type { Statement } from '../db/database.ts';

export interface Clock {
  /** Epoch milliseconds. */
  nowMs(): number;
}

/** A clock that may be set, with a monotonic one that cannot. */
export interface MonotonicClock extends Clock {
  /**
   * Milliseconds that never decrease and that no setting of the clock changes; their origin is
   * arbitrary.
   */
  monotonicMs(): number;
}

export interface Ids {
  /** A new unique, time-ordered id such as `att_01k…`. */
  next(kind: IdKind): string;
  /** Unguessable token text of at least 256 bits. */
  secret(): string;
}

/** Calls the coordinator at a time. There is one alarm; setting it again moves it. */
export interface Alarm {
  set(atMs: number): void;
}

/** Sends to runners' open sockets, wherever they are held. Losing a message is harmless. */
export interface RunnerSockets {
  /** False when it is already known that the runner has no socket. */
  send(runnerId: string, messages: ControlPlaneMessage[]): boolean;
  /** Closes the runner's socket with a close code. */
  close(runnerId: string, code: number, reason: string): void;
  /**
   * Which of the runners are connected now, with the time when each was last seen, epoch
   * milliseconds. Where a query is costly, a cached result may be up to `maxAgeMs` old; left out:
   * no cache.
   */
  connected(runnerIds: readonly string[], maxAgeMs?: number): Promise<ReadonlyMap<string, number>>;
}

/** Sockets, and in-memory inboxes for runners that poll because they have no socket. */
export interface RunnerInboxes extends RunnerSockets {
  /**
   * Registers a request of this session. `gone` is called once when no request has come for the
   * time after which a socket counts as dead.
   */
  open(runnerId: string, session: number, gone: () => void): void;
  /**
   * Returns the runner's waiting messages; if there are none, waits for the next, at most `waitMs`
   * and SYNC_WAIT_MS.
   */
  take(runnerId: string, waitMs: number): Promise<ControlPlaneMessage[]>;
  /** Ends all waiting requests, because this process stops or no longer leads. */
  closeInboxes(reason: string): void;
}

/** Calls to connected runners; a call ends with its session and runs at most once. */
export interface RunnerCalls {
  /**
   * Makes a call. Throws an `AppError`: 503 when the runner is not connected, 502 when it fails or
   * times out.
   */
  call<M extends CallMethod>(
    runnerId: string,
    method: M,
    params: CallParams<M>,
    timeoutMs: number,
  ): Promise<CallValue<M>>;
  settle(runnerId: string, message: RunnerMessageOf<'result'>): void;
  /** Whether an unanswered call to this runner is about this repository. */
  concerns(runnerId: string, repositoryUrl: string): boolean;
  /** Ends every open call of a runner whose session is over with a 502. */
  abandon(runnerId: string): void;
}

/** Connections to runners, whatever their transport: messages, inboxes of those that poll, calls. */
export type RunnerConnections = RunnerInboxes & RunnerCalls;

/** Large payloads by key. Values are immutable; storing other bytes under a key is an error. */
export interface Blobs {
  /**
   * Stores bytes under a new key; storing the same bytes again is a no-op. Pieces are read one
   * after the other; if the source fails, nothing is stored.
   */
  put(key: string, bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<void>;
  get(key: string): Promise<Uint8Array | null>;
  /** Reads a blob in pieces on demand; null when there is none. */
  open(key: string): Promise<AsyncIterable<Uint8Array> | null>;
  delete(key: string): Promise<void>;
}

/** Incremental HMAC-SHA256, because WebCrypto requires all bytes at once. */
export type StartHmac = (secret: string) => { update(bytes: Uint8Array): void; hex(): string };

/** Work that continues after a response; awaited on shutdown (Node) or by waitUntil (Workers). */
export interface BackgroundTasks {
  run(name: string, task: () => Promise<void>): void;
}

export type LogFields = Record<string, string | number | boolean | null | undefined>;

export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** What an error concerned, as far as known, for the error tracker. */
export type ErrorSubject = {
  requestId?: string | undefined;
  /** Issue identifier, such as `SY-1`. */
  issue?: string | undefined;
  attemptId?: string | undefined;
  /** Name of the failed operation. */
  operation?: string | undefined;
};

/** Reports unexpected errors together with preceding operations. Never throws and never waits. */
export interface ErrorTracker {
  /** Records an operation; the last 100 are sent with each error. */
  note(operation: string, fields?: LogFields): void;
  capture(error: unknown, subject?: ErrorSubject): void;
  /** Resolves when captured errors are sent or given up, at the latest after `timeoutMs`. */
  flush(timeoutMs: number): Promise<void>;
}

/** Signals subscribers in this process that new events are stored; the rows have their content. */
export interface EventSignal {
  notify(): void;
  /** Returns the unsubscribe function. */
  subscribe(listener: () => void): () => void;
}

/** Text of running attempts as it is written. It is not stored: late subscribers have missed it. */
export interface LiveText {
  publish(attemptId: string, items: readonly LiveTextItem[]): void;
  /** Subscribes; null when there are too many subscribers, else the unsubscribe function. */
  subscribe(attemptId: string, listener: (item: LiveTextItem) => void): (() => void) | null;
}

/** The counters at `/metrics` with their exact labels. */
export type CounterLabels = {
  service_http_requests_total: { method: string; status: string };
  service_orchestrator_polls_total: { status: 'success' | 'error' | 'skipped' };
  service_agent_runs_total: { outcome: 'completed' | 'failed' | 'oom' | 'stalled' };
  service_webhook_deliveries_total: {
    provider: MetricProvider | 'trigger' | 'unknown';
    status: 'accepted' | 'duplicate' | RefusalReason;
  };
  service_webhook_duplicates_total: { provider: MetricProvider };
  service_webhook_events_processed_total: { provider: MetricProvider; outcome: string };
  service_webhook_processor_retries_total: { provider: MetricProvider; reason: string };
  service_webhook_dlq_total: { reason: string };
  service_webhook_subscription_checks_total: { provider: MetricProvider; status: string };
};
/** The histograms at `/metrics`, all in seconds. */
export type HistogramLabels = {
  service_http_request_duration_seconds: { method: string };
  service_webhook_processing_latency_seconds: { provider: MetricProvider };
};
type NoLabels = Readonly<Record<string, never>>;
export type GaugeLabels = {
  service_container_cpu_percent: { container: string };
  service_container_memory_percent: { container: string };
  service_webhook_backlog_count: { provider: MetricProvider };
  service_webhook_dlq_count: NoLabels;
  service_webhook_last_delivery_age_seconds: { provider: MetricProvider };
};
export type MetricProvider = 'tracker' | 'codehost';

/**
 * Metrics for scrapers; never throws and never waits. Label values come from small fixed sets,
 * never from input. Gauges are set by the gauge sources before each scrape.
 */
export interface Metrics {
  /** Adds `by` (default 1, not negative) to a counter. */
  inc<N extends keyof CounterLabels>(name: N, labels: CounterLabels[N], by?: number): void;
  observe<N extends keyof HistogramLabels>(
    name: N,
    labels: HistogramLabels[N],
    seconds: number,
  ): void;
  set<N extends keyof GaugeLabels>(name: N, labels: GaugeLabels[N], value: number): void;
  /** Removes every series of a gauge. */
  clear(name: keyof GaugeLabels): void;
  /** All metrics in the text exposition format. */
  render(): Promise<string>;
}

/** A stored webhook: verified, and acknowledged to its sender. */
export type StoredDelivery = {
  deliveryId: string;
  /** Kind of event by the provider's name, such as `Issue.update` or `pull_request.closed`. */
  event: string;
  /** The signed body, JSON. */
  body: string;
  receivedAtMs: number;
  /** Number of failed tries before. */
  tries: number;
};

export type DeliveryResult =
  | {
      /** `ignored`: no handler for such an event. */
      outcome: 'processed' | 'ignored';
      /** Committed together with the end of the delivery, so that they apply exactly once. */
      statements?: readonly Statement[];
    }
  /** A retry is useless: the delivery becomes a dead letter at once. */
  | { outcome: 'refused'; reason: string };

/**
 * Handles the webhooks of one provider. It may get one again after a crash, out of order or late.
 * Throws to have it retried, not before the error's `retryAtMs` if set.
 */
export interface DeliveryHandler {
  handle(delivery: StoredDelivery, signal: AbortSignal): Promise<DeliveryResult>;
  /**
   * Called right after a webhook was stored, so that visible effects begin early; it is handled as
   * usual later.
   */
  arrived?(delivery: StoredDelivery): Promise<void>;
  /** Whether the provider still sends webhooks; left out, or null, when unknown. */
  checkSubscription?(signal: AbortSignal): Promise<'ok' | 'missing' | 'failed' | null>;
}

/** The attempt for which an agent makes calls; everything it may reach is derived from it. */
export type AgentScope = {
  tracker: string;
  issueId: string;
  identifier: string;
  repositoryUrl: string;
  /** Url of the issue's own pull request; null when there is none. */
  pullRequestUrl: string | null;
  /** The attempt may only read. */
  readOnly: boolean;
};

/** The result for the agent. `status`: HTTP status of the response; null without one. */
export type AgentAnswer = { ok: boolean; status: number | null; text: string };

/** A call within the limits, or a refusal with a stable code and advice for the agent. */
export type JudgedCall =
  | { verdict: 'refused'; code: string; message: string; method: string; path: string }
  | {
      verdict: 'allowed';
      method: string;
      path: string;
      mutates: boolean;
      /** Performs the call; throws only for failures that no agent can fix. */
      perform(signal: AbortSignal): Promise<AgentAnswer>;
    };

/** A tool that an adapter offers to agents. Its limits are its own and depend on the scope. */
export interface AgentApi {
  /** Description for the model. */
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly inputSchema: Record<string, unknown>;
  /** Parses and checks the arguments without any request. */
  judge(given: unknown, scope: AgentScope): JudgedCall;
}
