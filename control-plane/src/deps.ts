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
  RunnerCalls,
  RunnerInboxes,
  RunnerSockets,
  StartHmac,
} from './ports/ports.ts';
import type { Redactor } from './ports/redactor.ts';
import type { MasterKeys } from './config/secrets/master-keys.ts';
import type { Tracker } from './ports/tracker/tracker.ts';

/** What this process is, for people and for `/runtime`. */
export type ServiceIdentity = {
  version: string;
  instanceId: string;
  /** Whether this instance decides, or waits to take over. */
  role: 'active' | 'standby';
  startedAtMs: number;
  /** Since when this instance decides, for people. */
  leadsSinceMs: number;
  /** Under which term it may decide, and until when by its monotonic clock unless it renews. */
  lead: { term: number; untilMs: number };
  /** No lease counts as over before this, by the monotonic clock. */
  leasesRestUntilMs: number;
  /** How far the clock was ahead of the monotonic one when it was last noted. */
  clockOffsetMs: number;
  dataDir: string | null;
  /** Audience of runner tokens; fixed per database. */
  audience: string;
  /** Origin under which people reach this service, for links; null when unknown. */
  publicOrigin: string | null;
  /** A demonstration: the model is a script, and everything goes when the process ends. */
  demo?: boolean;
  /** It runs in a checkout, where commands are scripts of npm. */
  checkout?: boolean;
};

/** Everything the core is built on. Use cases take the part they need. */
export type Deps = {
  db: Database;
  clock: MonotonicClock;
  ids: Ids;
  alarm: Alarm;
  /** Reaches runners however they speak. */
  sockets: RunnerSockets;
  /** Runners that speak by requests. */
  inboxes: RunnerInboxes;
  calls: RunnerCalls;
  blobs: Blobs;
  background: BackgroundTasks;
  logger: Logger;
  metrics: Metrics;
  errors: ErrorTracker;
  /** Takes secrets out of what leaves the service. */
  redactor: Redactor;
  events: EventSignal;
  /** Whether writes are stored; left out where the database is a file of this process. */
  writes?: Pick<BatchWriter, 'probe'>;
  /** Left out where those who watch are not in the process that hears runners. */
  liveText?: LiveText;
  config: ConfigStore;
  resolveSecret: ResolveSecret;
  /** For the chains over events. */
  hashText: HashText;
  /** For signatures over bodies that are never in memory as a whole. */
  startHmac: StartHmac;
  /** What secrets are encrypted under. */
  masterKeys: MasterKeys;
  service: ServiceIdentity;
  /** Announced to runners and held against them. */
  leases: LeaseTimes;
  /** By kind; `local` is always there. */
  trackers: ReadonlyMap<string, Tracker>;
  codeHosts: readonly CodeHost[];
  /** What is done with inbound deliveries; those of a provider without one are ignored. */
  deliveryHandlers?: ReadonlyMap<'tracker' | 'codehost', DeliveryHandler>;
  /** Starts a configured automation now; left out where there are none. */
  runAutomation?: (name: string, caller: Caller) => Promise<unknown>;
  /** Asks for a coordinator run as soon as possible; never throws, coalesces. */
  wake: () => void;
};
