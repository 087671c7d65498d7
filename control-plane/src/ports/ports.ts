/**
 * What the control plane needs from the world. The core depends on these and on web standards
 * only; `platform/` provides them, tests provide fakes with a clock of their own.
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

/** A clock that people set, and one that nobody can. */
export interface MonotonicClock extends Clock {
  /** Milliseconds that never fall and that no setting of the clock changes; they begin anywhere. */
  monotonicMs(): number;
}

export interface Ids {
  /** A new unique, time-ordered id such as `att_01k…`. */
  next(kind: IdKind): string;
  /** Unguessable token text of at least 256 bits. */
  secret(): string;
}

/** Asks the runtime to call the coordinator at a time. One alarm; setting it again moves it. */
export interface Alarm {
  set(atMs: number): void;
}

/** Sends to runners' live sockets, wherever they end. Losing a message is harmless. */
export interface RunnerSockets {
  /** False when it is known at once that the runner has no socket. */
  send(runnerId: string, messages: ControlPlaneMessage[]): boolean;
  /** Ends the runner's socket with a close code. */
  close(runnerId: string, code: number, reason: string): void;
  /**
   * Those of the runners that are connected now, with when each was last heard, in epoch ms. Where to
   * look costs, one that was found connected may count as such for `maxAgeMs`; left out: for no time.
   */
  connected(runnerIds: readonly string[], maxAgeMs?: number): Promise<ReadonlyMap<string, number>>;
}

/** Sockets, and for runners that have none because they speak by requests, lists in memory. */
export interface RunnerInboxes extends RunnerSockets {
  /**
   * A request of this session has come. `gone` is called once when none has come for the time after
   * which a socket counts as dead.
   */
  open(runnerId: string, session: number, gone: () => void): void;
  /** What waits for the runner; when nothing does, at most `waitMs` (and SYNC_WAIT_MS) later. */
  take(runnerId: string, waitMs: number): Promise<ControlPlaneMessage[]>;
  /** Answers the requests that wait: this process stops or no longer leads. */
  closeInboxes(reason: string): void;
}

/** Requests to connected runners that end with the session and run at most once. */
export interface RunnerCalls {
  /** Throws an `AppError`: 503 when the runner is not here, 502 when it fails or is late. */
  call<M extends CallMethod>(
    runnerId: string,
    method: M,
    params: CallParams<M>,
    timeoutMs: number,
  ): Promise<CallValue<M>>;
  settle(runnerId: string, message: RunnerMessageOf<'result'>): void;
  /** Whether a call that this runner has yet to answer is about this repository. */
  concerns(runnerId: string, repositoryUrl: string): boolean;
  /** Ends every open call of a runner whose session is over with a 502: its answer cannot come. */
  abandon(runnerId: string): void;
}

/** Large payloads by key. Values are immutable; putting a key again with other bytes is an error. */
export interface Blobs {
  /**
   * Stores bytes under a key that is written once; the same ones again change nothing. Pieces are taken
   * one after the other; a source that fails leaves nothing.
   */
  put(key: string, bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<void>;
  get(key: string): Promise<Uint8Array | null>;
  /** The same in pieces, each of which is read when it is asked for. */
  open(key: string): Promise<AsyncIterable<Uint8Array> | null>;
  delete(key: string): Promise<void>;
}

/** HMAC-SHA256 of bytes as they come: WebCrypto wants all of them at once. */
export type StartHmac = (secret: string) => { update(bytes: Uint8Array): void; hex(): string };

/** Work that goes on after a response; awaited on shutdown (Node) or by waitUntil (Workers). */
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

/** What an error was about, for the error tracker; whatever is known. */
export type ErrorSubject = {
  requestId?: string | undefined;
  /** Issue identifier, for example `SY-1`. */
  issue?: string | undefined;
  attemptId?: string | undefined;
  /** What was being done. */
  operation?: string | undefined;
};

/** Where unexpected errors go, with what was done before. Never throws and never waits. */
export interface ErrorTracker {
  /** Notes an operation; the last 100 go along with each error. */
  note(operation: string, fields?: LogFields): void;
  capture(error: unknown, subject?: ErrorSubject): void;
  /** Resolves when what was captured is delivered or given up, at the latest after `timeoutMs`. */
  flush(timeoutMs: number): Promise<void>;
}

/** Tells listeners on this process that new events are stored; the rows are the truth. */
export interface EventSignal {
  notify(lastSeq: number): void;
  /** Returns the unsubscribe function. */
  subscribe(listener: (lastSeq: number) => void): () => void;
}

/** Text of running attempts as it is written. Kept nowhere: who does not listen has missed it. */
export interface LiveText {
  publish(attemptId: string, items: readonly LiveTextItem[]): void;
  /** Null when nobody else may listen; else the unsubscribe function. */
  subscribe(attemptId: string, listener: (item: LiveTextItem) => void): (() => void) | null;
}

/** The counters at `/metrics` with exactly their labels. */
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
/** The histograms, all in seconds. */
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
 * What is counted for scrapers; never throws and never waits. Label values come from small fixed
 * sets, never from input. Gauges are set by the gauge sources that run before each scrape.
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
  /** Everything in the text exposition format. */
  render(): Promise<string>;
}

/** A delivery as it is stored: verified, and acknowledged to its sender. */
export type StoredDelivery = {
  deliveryId: string;
  /** Kind of event as the provider names it, for example `Issue.update` or `pull_request.closed`. */
  event: string;
  /** The body as it was signed: JSON. */
  body: string;
  receivedAtMs: number;
  /** How often it failed before. */
  tries: number;
};

export type DeliveryResult =
  | {
      /** `ignored`: nothing here listens to such an event. */
      outcome: 'processed' | 'ignored';
      /** Committed with the mark that ends the delivery, so that they happen exactly once. */
      statements?: readonly Statement[];
    }
  /** Trying again is useless: a dead letter at once. */
  | { outcome: 'refused'; reason: string };

/**
 * Does what the deliveries of one provider ask for. May see one again after a crash, out of order
 * or late. Throws to have it tried again, not before `retryAtMs` where the error has one.
 */
export interface DeliveryHandler {
  handle(delivery: StoredDelivery, signal: AbortSignal): Promise<DeliveryResult>;
  /**
   * Told of a delivery right after it was stored, so that what people wait for begins before its
   * turn; it is handled all the same.
   */
  arrived?(delivery: StoredDelivery): Promise<void>;
  /** Whether the provider still sends; left out, or null, where nobody can tell. */
  checkSubscription?(signal: AbortSignal): Promise<'ok' | 'missing' | 'failed' | null>;
}

/** For which attempt an agent asks; everything it may reach follows from here. */
export type AgentScope = {
  tracker: string;
  issueId: string;
  identifier: string;
  repositoryUrl: string;
  /** Of the issue's own pull request, where there is one. */
  pullRequestUrl: string | null;
  /** The attempt may only look. */
  readOnly: boolean;
};

/** What the agent reads. `status`: of the answer, where there was one. */
export type AgentAnswer = { ok: boolean; status: number | null; text: string };

/** A call that is within the limits, or why it is not: a stable word and advice for the agent. */
export type JudgedCall =
  | { verdict: 'refused'; code: string; message: string; method: string; path: string }
  | {
      verdict: 'allowed';
      method: string;
      path: string;
      mutates: boolean;
      /** Throws only for what no agent can do anything about. */
      perform(signal: AbortSignal): Promise<AgentAnswer>;
    };

/** What an adapter lets agents do through a tool. The limits are its own and follow the scope. */
export interface AgentApi {
  /** For the model. */
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly inputSchema: Record<string, unknown>;
  /** Reads and judges the arguments; asks nobody. */
  judge(given: unknown, scope: AgentScope): JudgedCall;
}
