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
import type { RunnerSettings } from '../run-options.ts';
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
import type { ToolAnswer, ToolCall } from '../engine/agent-engine.ts';
import type { Engines } from '../engine/engines.ts';
import type { LiveSessions } from '../engine/live-sessions.ts';
import type { SetupCaches } from '../workspace/setup-caches.ts';
import type { HostDisk } from '../workspace/disk/host-disk.ts';
import type { UsageKeeper } from '../workspace/disk/usage-keeper.ts';
import type { WorkspaceError } from '../workspace/workspace.ts';
import type { WorkspacePort } from '../workspace/workspace-port.ts';
import type { PushProblem } from '../workspace/push-checks/check-push.ts';
import type { AttemptControl } from './attempt-control.ts';
import type { Marker } from './attempt-end.ts';
import type { AttemptRecorder } from './progress/attempt-recorder.ts';
import type { Liveness } from './progress/liveness.ts';
import type { ToolService } from './tools/tool-service.ts';
import type { UsageMeter } from './progress/usage-meter.ts';
import type { TakenWork } from './work-findings.ts';

/**
 * Gives an attempt access to its model through a proxy outside the container that adds the
 * provider's key.
 */
export interface ModelProxy {
  grant(request: {
    ref: LeaseRef;
    providerBaseUrl: string;
    /** Wire format of the provider. */
    wireApi: WireApi;
    /** The provider's key; null for a provider that needs none. */
    apiKey: string | null;
    /** Network access besides the provider; undefined: none. */
    world?: WorldAccess | undefined;
    /** Values of the granted secrets by name. */
    secretValues?: SecretValues | undefined;
    /** Isolation of the attempt; left out: that of new attempts. */
    isolation?: Isolation;
  }): Promise<ProxyGrant>;
  /** Renews the access of an attempt that a former process started. */
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
   * The access that a former process granted to an attempt, for threads and checks that begin now;
   * null when the token is not known any more. Left out where processes do not take over attempts.
   */
  granted?(request: {
    ref: LeaseRef;
    tokenHash: string;
    isolation: Isolation;
    world?: WorldAccess | undefined;
  }): Promise<Omit<ProxyGrant, 'tokenHash'> | null>;
  revoke(ref: LeaseRef): Promise<void>;
  /** The attempt's network requests so far. Left out where nothing restricts them. */
  report?(ref: LeaseRef): Promise<EgressReport>;
  /**
   * The model provider's responses so far; null when the proxy does not know the attempt. Left out
   * where nothing counts them: then the engine's own figures are used.
   */
  modelReport?(ref: LeaseRef): Promise<ModelReport | null>;
}
export type WorldAccess = {
  egress: EgressSpec | undefined;
  /** Secrets that the proxy adds to requests to some hosts. */
  secrets?: readonly WorkSecret[] | undefined;
  repositoryUrl: string;
};
type SecretValues = Readonly<Record<string, string>>;
export type ProxyGrant = {
  /** Token of the attempt, useless elsewhere and after the lease. */
  token: string;
  tokenHash: string;
  access: ProxyAccess;
  /** Base address for the engine, as seen from its container. */
  baseUrl: string;
  /**
   * Environment with the network proxy for programs; empty where there is none, as for plain
   * processes.
   */
  env?: Readonly<Record<string, string>>;
};

/** An attempt's communication with the control plane besides its events. */
export interface Uplink {
  delta(ref: LeaseRef, item: LiveTextItem): void;
  /** Called when `finish` is in the journal. */
  ended(): void;
  released(ref: LeaseRef, given: GivenBack): void;
  /** Requests permission to push; retries over reconnects until the signal aborts. */
  permitPush(
    ref: LeaseRef,
    params: { branch: string; commitSha: string; repositoryUrl: string },
    signal: AbortSignal,
  ): Promise<CallValue<'push.permit'>>;
  /** Calls a tool of this attempt; a failure is a regular answer for the agent. */
  callTool(ref: LeaseRef, call: ToolCall): Promise<ToolAnswer>;
  /** Stores a blob of this epoch; resolves with its key. */
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

export type AttemptSettings = RunnerSettings & {
  signingKeyPath?: string;
  /** Larger unfinished work stays on this host. Default MAX_WORK_IN_PROGRESS_BYTES. */
  maxWorkInProgressBytes?: number;
};

/** The parts of the runner that attempts share. */
export type AttemptDeps = {
  settings: AttemptSettings;
  containers: ContainerEngine;
  engines: Engines;
  workspaces: WorkspacePort;
  disk: HostDisk;
  /** Dependency caches of repositories; left out: none. */
  caches?: SetupCaches;
  proxy: ModelProxy;
  /** Tool server for engines without native tools; left out: they get no tools. */
  tools?: Pick<ToolService, 'serve'>;
  uplink: Uplink;
  journal: Journal;
  spool: Spool;
  /** Stores measured disk use for the lists of workspaces. */
  usages?: Pick<UsageKeeper, 'report' | 'forget'>;
  /** Live sessions, for operators. */
  sessions?: LiveSessions;
  /** Called with each container as soon as it runs. */
  containerRuns?(container: ContainerName): void;
  clock: Clock;
  log: Log;
};

/** The data and services that the steps of one attempt share. */
export type AttemptContext = {
  ref: LeaseRef;
  spec: AttemptSpec;
  owner: ContainerOwner;
  deps: AttemptDeps;
  control: AttemptControl;
  recorder: AttemptRecorder;
  liveness: Liveness;
  usage: UsageMeter;
  /** The newest token of this epoch, which each grant renews. */
  attemptToken(): string;
  /** The provider's key, in memory only; null after an adoption, when the proxy already has it. */
  apiKey: string | null;
  /** Values of the specification's secrets by name: in memory only, for the proxy. */
  secretValues?: SecretValues | undefined;
  /** Results so far, which the end of the attempt reports in any case. */
  result: {
    marker: Marker | null;
    summary: string | null;
    turnId: string | null;
  };
  /** What is stored outside this host so far. */
  saved: {
    ordinal: number;
    /** The newest snapshot, whether its diff is stored, and whether it is on the hidden ref. */
    commitSha: string | null;
    diffBlob: string | null;
    pushed: boolean;
    /** Commit of the hidden ref; null: not known to this lease, or no such ref. */
    hiddenSha: string | null;
    /** Review of the newest checked commit, and the refs for which its problems were reported. */
    review: { commitSha: string; problems: PushProblem[]; reported: Set<string> } | null;
    /**
     * Findings of the newest snapshot, and whether the agent was asked about commits that are not
     * included.
     */
    work: TakenWork | null;
    askedAside: boolean;
    /** Why the newest snapshot failed, if the work itself is the cause. */
    fault: WorkspaceError | null;
    /** Serialises checkpoints, because two concurrent snapshots would disturb each other. */
    tail: Promise<void>;
  };
};
