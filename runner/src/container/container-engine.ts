/**
 * The port behind which attempts are isolated. Two adapters: `docker/` (a locked
 * container per attempt) and `process/` (plain host processes, no protection).
 */

import type { Isolation } from '@switchyard/shared/sandbox/isolation';
import type { IsolationLevel, IsolationLevels } from '@switchyard/shared/sandbox/isolation-level';

/** The locks of one container as the daemon tells them after its start, for people. */
export type Locks = { level: IsolationLevel; network: string } & Readonly<
  Record<string, string | number | boolean>
>;

export type Mount = {
  hostPath: string;
  /** Absolute path inside. Equal to hostPath for borrowed git objects. */
  containerPath: string;
  readOnly: boolean;
};

/** Hard caps of one attempt's container. The process adapter cannot enforce them and says so. */
export type Resources = { memoryBytes: number; cpus: number; pids: number; tmpfsBytes: number };

/** Who an attempt's container belongs to; becomes labels and the container's name. */
export type ContainerOwner = {
  runnerId: string;
  attemptId: string;
  epoch: number;
  bootId: string;
};

/** Where the attempt's way out ends: see egress/. */
export type ProxyAccess = {
  /**
   * Host folder that holds `proxy.sock`, mounted read-only at /run/switchyard, and `deadline`: text
   * `COUNTER REMAINING_MS` and a newline, replaced by rename at each renewal. Dead-men read it:
   * docker/sandbox/shim.c and process/dead-man.ts.
   */
  socketFolder: string;
  /** Loopback TCP port of the same proxy on the host, for the process adapter. */
  hostPort: number;
};

/** Port on the attempt's own loopback where the shim (or, for processes, the proxy) answers HTTP. */
export const SHIM_PORT = 8099;

export type EngineContainerSpec = {
  owner: ContainerOwner;
  image: string;
  argv: readonly string[];
  env: Readonly<Record<string, string>>;
  workingDirectory: string;
  mounts: readonly Mount[];
  resources: Resources;
  proxy: ProxyAccess;
  /** OCI runtime by name; undefined: the daemon's default. */
  runtime?: string | undefined;
  /** Host folder for what the process adapter keeps (FIFO, output file); outlives the runner process. */
  stateFolder: string;
};

/** How a container ended. `oom` comes from the engine's own event, never from the exit code alone. */
export type ContainerExit = { exitCode: number | null; signal: string | null; oom: boolean };

/**
 * A live engine container. Its stdio survives a kill -9 of the runner: output is read from a
 * byte offset of a log that the host keeps, input goes through something that stays open.
 */
export interface EngineContainer {
  readonly containerId: string;
  readonly owner: ContainerOwner;
  /** Standard output from `fromByte` on, following until the container ends. Chunks are byte-exact. */
  stdout(fromByte: number, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Last lines of standard error, at most `maxBytes`. */
  stderrTail(maxBytes: number): Promise<string>;
  /** Writes to standard input; resolves when handed over. Rejects once the container has ended. */
  write(bytes: Uint8Array): Promise<void>;
  /** Resolves exactly once, within a second of the end. */
  readonly exited: Promise<ContainerExit>;
  /**
   * Called each time the kernel kills something inside for memory. The engine may live on: mostly
   * it is one of its commands. Never called by the process adapter.
   */
  onOom(listener: () => void): void;
  /** SIGTERM, then SIGKILL after `graceMs`; resolves when the end is confirmed. Safe to repeat. */
  stop(graceMs: number): Promise<ContainerExit>;
  /** Removes what is left (container, FIFO). Only after the exit. */
  remove(): Promise<void>;
}

/** Names an attempt's container, running or not. */
export type ContainerName = Pick<EngineContainer, 'containerId' | 'owner'>;

/**
 * What a container uses. CPU: percent of one processor since the sample before, so that two busy
 * ones are 200. Memory: percent of its limit, or of the host's where it has none.
 */
export type ContainerStats = { cpuPercent: number; memoryPercent: number };

/** One short command with the attempt's mounts and no network: git in a workspace, a hook. */
export type CommandSpec = {
  owner: ContainerOwner;
  /** For example `snapshot`. Two commands of one attempt with the same purpose cannot run at once. */
  purpose: string;
  image: string;
  argv: readonly string[];
  env: Readonly<Record<string, string>>;
  workingDirectory: string;
  mounts: readonly Mount[];
  resources: Resources;
  timeoutMs: number;
  /** The attempt's way out, for hooks; git has none. */
  proxy?: ProxyAccess | undefined;
  runtime?: string | undefined;
  /** Standard output beyond this ends the command as an error; a bundle streams to `stdoutFile` instead. */
  maxOutputBytes: number;
  /** Host path that receives standard output (at most maxOutputBytes) instead of memory. */
  stdoutFile?: string;
  /** Kills the command at once; its result is then that of a killed one (exit code 137). */
  signal?: AbortSignal;
};

export type CommandResult = {
  exitCode: number;
  /** Empty when stdoutFile was given. */
  stdout: string;
  /** At most the last 64 KiB. */
  stderr: string;
  timedOut: boolean;
  /** Output passed maxOutputBytes and the command was killed. */
  outputExceeded: boolean;
};

/** A command that stays and answers lines, in a container as locked as any other command's. */
export type DialogueSpec = Omit<
  CommandSpec,
  'timeoutMs' | 'maxOutputBytes' | 'proxy' | 'stdoutFile' | 'signal'
>;

export interface Dialogue {
  /** One line for one line, one at a time. Rejects when none comes in time: end it then. */
  ask(line: string, timeoutMs: number): Promise<string>;
  /** Removes it for certain. Safe to repeat. */
  end(): Promise<void>;
}

/** Uid and gid that must own workspace and engine home; null: whoever runs the runner, who is not root. */
export type WorkIdentity = { uid: number; gid: number } | null;

export interface ContainerEngine {
  /** Of an engine that may change: what attempts get that are taken now. */
  readonly isolation: Isolation;
  readonly workIdentity: WorkIdentity;
  /** Origin of the model proxy as an engine sees it, for example `http://127.0.0.1:8099`. */
  proxyOrigin(proxy: ProxyAccess): string;
  /** Throws with what to do next when the daemon does not answer or the image is missing. */
  check(): Promise<{
    version: string;
    image: string;
    labels?: Record<string, string>;
    /** What protects less than it could, in sentences. */
    gaps?: string[];
  }>;
  /** Creates and starts. Repeating the same owner finds the container that is there. */
  start(spec: EngineContainerSpec): Promise<EngineContainer>;
  /** What this engine gives with a runtime; null: it has no such runtime. Left out: only processes. */
  levelOf?(runtime: string | undefined): IsolationLevel | null;
  /** The same by default and with every runtime there is. Left out: only processes. */
  levels?(): IsolationLevels;
  /** Whether this host's operator named an image. Left out: images mean nothing here. */
  allowsImage?(image: string): boolean;
  /** The locks that are really in force. Left out where there are none. */
  locksOf?(container: ContainerName): Promise<Locks>;
  run(spec: CommandSpec): Promise<CommandResult>;
  /** Left out where nothing stands between an agent and its host. */
  converse?(spec: DialogueSpec): Promise<Dialogue>;
  /**
   * Every labelled engine container of this runner, dead ones included. Command containers that a
   * dead runner left are removed.
   */
  list(runnerId: string): Promise<EngineContainer[]>;
  /** Null where it is not known (yet): the first sample of a container has nothing to compare with. */
  stats?(container: ContainerName): Promise<ContainerStats | null>;
  /**
   * The engine of an isolation, or the present one, which stays as it is: an attempt keeps the one
   * it began with. Left out: this one never changes.
   */
  pinned?(isolation?: Isolation): ContainerEngine;
  close(): Promise<void>;
}
