import type { HashText } from '@switchyard/shared/protocol/extend-digest';
import type { LeaseTimes } from '@switchyard/shared/protocol/lease-times';
import type { Caller } from './http/caller/caller.ts';
import type { CodeHost } from './ports/code-host/code-host.ts';
import type { ConfigStore } from './config/config-store.ts';
import type { ResolveSecret } from './config/resolve-secret.ts';
import type { Database } from './db/database.ts';
import type { BatchWriter } from './db/server/server-writer.ts';
import type {
  Alarm,
  BackgroundTasks,
  Blobs,
  DeliveryHandler,
  ErrorTracker,
  EventSignal,
  Ids,
  LiveText,
  Logger,
  Metrics,
  MonotonicClock,
  RunnerConnections,
  StartHmac,
} from './ports/ports.ts';
import type { Redactor } from './ports/redactor.ts';
import type { MasterKeys } from './config/secrets/master-keys.ts';
import type { Tracker } from './ports/tracker/tracker.ts';

/** The identity of this process, for people and for `/runtime`. */
export type ServiceIdentity = {
  version: string;
  instanceId: string;
  /** Whether this instance leads, or waits to take over. */
  role: 'active' | 'standby';
  startedAtMs: number;
  /** Since when this instance leads, for people. */
  leadsSinceMs: number;
  /**
   * The term under which this instance may decide, and until when by its monotonic clock unless
   * renewed.
   */
  lead: { term: number; untilMs: number };
  /** No lease counts as expired before this, by the monotonic clock. */
  leasesRestUntilMs: number;
  /** Lease times, which are announced to runners and enforced. */
  leaseTimes: LeaseTimes;
  /** Offset of the clock from the monotonic one when last recorded, milliseconds. */
  clockOffsetMs: number;
  dataDir: string | null;
  /** Audience of runner tokens; fixed for each database. */
  audience: string;
  /** Public origin of this service, for links; null when unknown. */
  publicOrigin: string | null;
  /** A demonstration: the model is scripted, and all data is deleted when the process ends. */
  demo?: boolean;
  /** The service runs in a checkout, where commands are npm scripts. */
  checkout?: boolean;
};

/**
 * A function whose dependencies are bound where the core is put together. Those that are spread
 * into an object are copied, so no member of `Deps` may be replaced afterwards.
 */
export type Bound<Work> = Work extends (deps: never, ...rest: infer Rest) => infer Result
  ? (...rest: Rest) => Result
  : never;

/** Everything the core depends on. Use cases take the parts that they need. */
export type Deps = {
  db: Database;
  clock: MonotonicClock;
  ids: Ids;
  alarm: Alarm;
  connections: RunnerConnections;
  blobs: Blobs;
  background: BackgroundTasks;
  logger: Logger;
  metrics: Metrics;
  errors: ErrorTracker;
  /** Removes secrets from what leaves the service. */
  redactor: Redactor;
  events: EventSignal;
  /** Whether writes are stored; left out when the database is a file of this process. */
  writes?: Pick<BatchWriter, 'probe'>;
  /** Left out if subscribers are not in the process that receives runners' messages. */
  liveText?: LiveText;
  config: ConfigStore;
  resolveSecret: ResolveSecret;
  /** Hash for the digests over events. */
  hashText: HashText;
  /** HMAC for signatures over bodies that are never completely in memory. */
  startHmac: StartHmac;
  /** The keys that encrypt secrets. */
  masterKeys: MasterKeys;
  service: ServiceIdentity;
  /** Trackers by kind; `local` always exists. */
  trackers: ReadonlyMap<string, Tracker>;
  codeHosts: readonly CodeHost[];
  /** Handlers of webhooks; those of a provider without one are ignored. */
  deliveryHandlers?: ReadonlyMap<'tracker' | 'codehost', DeliveryHandler>;
  /** Starts a configured automation now; left out where there are none. */
  runAutomation?: (name: string, caller: Caller) => Promise<unknown>;
  /** Requests a coordinator run as soon as possible; never throws, and coalesces. */
  wake: () => void;
};
