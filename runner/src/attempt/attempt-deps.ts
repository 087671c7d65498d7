import type { TokenUsage } from '@switchyard/shared/api/work/attempt';
import type { AttemptSpec } from '@switchyard/shared/protocol/attempt-spec';
import type { EgressSpec } from '@switchyard/shared/protocol/egress-spec';
import type { WorkSecret } from '@switchyard/shared/sandbox/work-secret';
import type { WireApi } from '@switchyard/shared/model-providers/wire-api';
import type { CallValue } from '@switchyard/shared/protocol/calls';
import type { LiveTextItem } from '@switchyard/shared/protocol/messages';
import type { GivenBack } from '../connection/attempt-port.ts';
import type { Clock } from '../connection/clock.ts';
import type { Journal } from '../connection/journal/journal.ts';
import type { LeaseRef } from '../connection/lease-ref.ts';
import type { Log } from '../log.ts';
import type { Spool } from '../connection/journal/spool.ts';
import type { Isolation } from '@switchyard/shared/sandbox/isolation';
import type {
  ContainerEngine,
  ContainerOwner,
  ProxyAccess,
  ContainerName,
} from '../container/container-engine.ts';
import type { ModelReport } from '../egress/model/model-report.ts';
import type { EgressReport } from '../egress/policy/egress-log.ts';
import type {
  AgentEngine,
  EngineEvent,
  ToolAnswer,
  ToolCall,
  TurnFailure,
} from '../engine/agent-engine.ts';
import type { LiveSessions } from '../engine/live-sessions.ts';
import type { SetupCaches } from '../workspace/setup-caches.ts';
import type { HostDisk } from '../workspace/disk/host-disk.ts';
import type { UsageKeeper } from '../workspace/disk/usage-keeper.ts';
import type { WorkspaceError } from '../workspace/workspace.ts';
import type { WorkspacePort } from '../workspace/workspace-port.ts';
import type { PushProblem } from '../workspace/push-checks/check-push.ts';
import type { AttemptControl } from './attempt-control.ts';
import type { Marker } from './attempt-end.ts';
import type { AttemptRecorder } from './attempt-recorder.ts';
import type { Liveness } from './liveness.ts';
import type { ToolService } from './tools/tool-service.ts';
import type { UsageMeter } from './usage-meter.ts';
import type { TakenWork } from './work-findings.ts';

/** The attempt's way to its model: a proxy outside that knows the provider's key. */
export interface ModelProxy {
  grant(request: {
    ref: LeaseRef;
    providerBaseUrl: string;
    /** Format in which the provider is asked. */
    wireApi: WireApi;
    /** Null for a provider that asks none. */
    apiKey: string | null;
    /** What else may be reached; undefined: nothing. */
    world?: WorldAccess | undefined;
    /** Values of the world's secrets by name. */
    secretValues?: SecretValues | undefined;
    /** What the attempt runs in; left out: what new attempts get. */
    isolation?: Isolation;
  }): Promise<ProxyGrant>;
  /** An attempt of a former process goes on: its access is renewed from now on. */
  adopt(request: {
    ref: LeaseRef;
    providerBaseUrl: string;
    wireApi: WireApi;
    apiKey: string | null;
    tokenHash: string;
    world?: WorldAccess | undefined;
    secretValues?: SecretValues | undefined;
    isolation?: Isolation;
  }): Promise<void>;
  /**
   * What an attempt of a former process was granted, for threads and checks that begin after it; null where the
   * token is not known any more. Left out where no process follows another.
   */
  granted?(request: {
    ref: LeaseRef;
    tokenHash: string;
    isolation: Isolation;
    world?: WorldAccess | undefined;
  }): Promise<Omit<ProxyGrant, 'tokenHash'> | null>;
  revoke(ref: LeaseRef): Promise<void>;
  /** What the attempt asked the world for so far. Left out where nothing stands in its way. */
  report?(ref: LeaseRef): Promise<EgressReport>;
  /**
   * What its model provider answered so far; null when the proxy does not know the attempt. Left out
   * where nobody counts: the engine's own words count then.
   */
  modelReport?(ref: LeaseRef): Promise<ModelReport | null>;
}
export type WorldAccess = {
  egress: EgressSpec | undefined;
  /** What the proxy adds to requests to some hosts. */
  secrets?: readonly WorkSecret[] | undefined;
  repositoryUrl: string;
};
type SecretValues = Readonly<Record<string, string>>;
export type ProxyGrant = {
  /** Worthless elsewhere and after the lease. */
  token: string;
  tokenHash: string;
  access: ProxyAccess;
  /** Base address for the engine, as seen from where it runs. */
  baseUrl: string;
  /** Where programs find the way out; empty without one. */
  env?: Readonly<Record<string, string>>;
};

/** What an attempt says to and asks of the control plane beside its events. */
export interface Uplink {
  delta(ref: LeaseRef, item: LiveTextItem): void;
  /** `finish` is in the journal. */
  ended(): void;
  released(ref: LeaseRef, given: GivenBack): void;
  /** Asks again over reconnects until the signal aborts. */
  permitPush(
    ref: LeaseRef,
    params: { branch: string; commitSha: string; repositoryUrl: string },
    signal: AbortSignal,
  ): Promise<CallValue<'push.permit'>>;
  /** A call of a tool of this attempt; what goes wrong is an answer for the agent. */
  callTool(ref: LeaseRef, call: ToolCall): Promise<ToolAnswer>;
  /** Stores a blob of this epoch; answers its name. */
  putBlob(
    ref: LeaseRef,
    attemptToken: () => string,
    blob: { name: string; body: string | Uint8Array; signal: AbortSignal },
  ): Promise<string>;
  /** Reads a blob of an earlier attempt of the same issue. */
  getBlob(
    ref: LeaseRef,
    attemptToken: () => string,
    blob: { key: string; signal: AbortSignal },
  ): Promise<Uint8Array>;
}

export type AttemptDeps = {
  runnerId: string;
  bootId: string;
  /** Folder of everything this runner keeps. */
  dataDir: string;
  /** Sandbox image when the spec names none. */
  image: string;
  signingKeyPath?: string;
  /** Unfinished work beyond this stays on this host. Default MAX_WORK_IN_PROGRESS_BYTES. */
  maxWorkInProgressBytes?: number;
  containers: ContainerEngine;
  engine(name: string | undefined): AgentEngine | null;
  workspaces: WorkspacePort;
  disk: HostDisk;
  /** Left out: no repository has a dependency cache here. */
  caches?: SetupCaches;
  proxy: ModelProxy;
  /** Tools for engines that take them from a server. Left out: such engines get none. */
  tools?: Pick<ToolService, 'serve'>;
  uplink: Uplink;
  journal: Journal;
  spool: Spool;
  /** Where lists of workspaces find what attempts measured. */
  usages?: Pick<UsageKeeper, 'report' | 'forget'>;
  /** Where operators find the sessions that go on. */
  sessions?: LiveSessions;
  /** Told of each container as soon as it runs. */
  containerRuns?(container: ContainerName): void;
  clock: Clock;
  log: Log;
};

/**
 * What the model proxy knows of an attempt, followed: tokens become `usage` events for every engine
 * alike, a failed turn gets the provider's own reason, and an engine that waits or tries again in
 * silence is stopped.
 */
export interface ModelWatch {
  /** Usage comes from here, and what the engine tells of it is for people only. */
  readonly counts: boolean;
  /** A turn is open. `adopted`: a former process began it. */
  turnBegan(adopted?: boolean): void;
  /** Resolves when what the turn used is stored. */
  turnEnded(): Promise<void>;
  /** Whatever the engine says. */
  heard(event: EngineEvent): void;
  /** Why a turn failed, as the provider says it where it refused; undefined: it did not fail. */
  failureOf(ended: Extract<EngineEvent, { kind: 'turn_ended' }>): TurnFailure | undefined;
  /** Looks a last time. */
  end(): Promise<void>;
}

/** What the steps of one attempt share. */
export type AttemptContext = {
  ref: LeaseRef;
  spec: AttemptSpec;
  owner: ContainerOwner;
  deps: AttemptDeps;
  control: AttemptControl;
  recorder: AttemptRecorder;
  liveness: Liveness;
  usage: UsageMeter;
  /** What the proxy knows of the talk with the model provider. */
  model: ModelWatch;
  /** Newest token of this epoch: re-issued while the lease lives. */
  attemptToken(): string;
  /** In memory only; null after an adoption, when the proxy has it already. */
  apiKey: string | null;
  /** Values of the specification's secrets by name: in memory only, for the proxy. */
  secretValues?: SecretValues | undefined;
  /** Filled while the attempt goes on, read by its end whatever happened. */
  result: {
    marker: Marker | null;
    summary: string | null;
    usage: TokenUsage | undefined;
    turnId: string | null;
  };
  /** What was kept outside this host so far. */
  saved: {
    ordinal: number;
    /** Newest snapshot, whether its diff is stored, and whether the hidden ref has it. */
    commitSha: string | null;
    diffBlob: string | null;
    pushed: boolean;
    /** Where the hidden ref stands; null: not known to this lease, or not there. */
    hiddenSha: string | null;
    /** What was found in the newest commit that was looked at, and for which refs it was told. */
    review: { commitSha: string; problems: PushProblem[]; told: Set<string> } | null;
    /** What the newest snapshot found, and whether the agent was asked about commits left aside. */
    work: TakenWork | null;
    askedAside: boolean;
    /** Why the newest snapshot failed, where that is the work's own fault. */
    fault: WorkspaceError | null;
    /** Checkpoints follow each other: two snapshots at once would disturb one another. */
    tail: Promise<void>;
  };
};
