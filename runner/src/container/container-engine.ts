/**
 * The port that isolates attempts. Two adapters: `docker/` (a locked-down container for each
 * attempt) and `process/` (plain host processes, no protection).
 */

import type { Isolation } from '@switchyard/shared/sandbox/isolation';
import type { IsolationLevel, IsolationLevels } from '@switchyard/shared/sandbox/isolation-level';

/** The restrictions of a started container as the daemon reports them, for people. */
export type Locks = { level: IsolationLevel; network: string } & Readonly<
  Record<string, string | number | boolean>
>;

export type Mount = {
  hostPath: string;
  /** Absolute path inside. Equal to hostPath for borrowed git objects. */
  containerPath: string;
  readOnly: boolean;
};

/**
 * Hard limits of an attempt's container. The process adapter cannot enforce them and reports that.
 */
export type Resources = { memoryBytes: number; cpus: number; pids: number; tmpfsBytes: number };

/** The attempt of a container; becomes its labels and name. */
export type ContainerOwner = {
  runnerId: string;
  attemptId: string;
  epoch: number;
  bootId: string;
};

/** Network access of an attempt through the proxy: see egress/. */
export type ProxyAccess = {
  /**
   * Host folder with `proxy.sock`, mounted read-only at /run/switchyard, and `deadline`: text
   * `COUNTER REMAINING_MS` and a newline, replaced by rename at each renewal. Dead-man's switches
   * read it: docker/sandbox/shim.c and process/dead-man.ts.
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
  /** Host folder for the process adapter's files (FIFO, output); survives the runner process. */
  stateFolder: string;
};

/**
 * How a container ended. `oom` comes from what the daemon reports, never from the exit code alone.
 */
export type ContainerExit = { exitCode: number | null; signal: string | null; oom: boolean };

/**
 * A running engine container. Its stdio survives a kill -9 of the runner: output is read by byte
 * offset from a log on the host, and input goes through a channel that stays open.
 */
export interface EngineContainer {
  readonly containerId: string;
  readonly owner: ContainerOwner;
  /** Standard output from `fromByte` on, until the container ends. Chunks are byte-exact. */
  stdout(fromByte: number, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Last lines of standard error, at most `maxBytes`. */
  stderrTail(maxBytes: number): Promise<string>;
  /** Writes to standard input; resolves when handed over. Rejects once the container has ended. */
  write(bytes: Uint8Array): Promise<void>;
  /** Resolves once, normally within a second of the end. */
  readonly exited: Promise<ContainerExit>;
  /**
   * Called each time the kernel kills a process inside for memory. The engine may survive: usually
   * one of its commands was killed. Never called by the process adapter.
   */
  onOom(listener: () => void): void;
  /**
   * Sends SIGTERM, then SIGKILL after `graceMs`; resolves when the end is confirmed. Idempotent.
   */
  stop(graceMs: number): Promise<ContainerExit>;
  /** Removes the remains (container, FIFO). Call it only after the exit. */
  remove(): Promise<void>;
}

/** Identifies an attempt's container, running or not. */
export type ContainerName = Pick<EngineContainer, 'containerId' | 'owner'>;

/**
 * Resource usage of a container. CPU: percent of one processor since the previous sample, so that
 * two busy ones are 200. Memory: percent of its limit, or of the host's memory if it has none.
 */
export type ContainerStats = { cpuPercent: number; memoryPercent: number };

/**
 * One short command with the attempt's mounts and no network but the proxy, if given: git in a
 * workspace, or a hook.
 */
export type CommandSpec = {
  owner: ContainerOwner;
  /**
   * Name of the purpose, such as `snapshot`. Two commands of one attempt with the same purpose
   * cannot run concurrently.
   */
  purpose: string;
  image: string;
  argv: readonly string[];
  env: Readonly<Record<string, string>>;
  workingDirectory: string;
  mounts: readonly Mount[];
  resources: Resources;
  timeoutMs: number;
  /** Network access for hooks; git has none. */
  proxy?: ProxyAccess | undefined;
  runtime?: string | undefined;
  /**
   * Larger standard output ends the command as an error; a bundle is written to `stdoutFile`
   * instead.
   */
  maxOutputBytes: number;
  /** Host path that receives standard output (at most maxOutputBytes) instead of memory. */
  stdoutFile?: string;
  /** Kills the command at once; its result is then exit code 137. */
  signal?: AbortSignal;
};

export type CommandResult = {
  exitCode: number;
  /** Standard output; empty when stdoutFile was given. */
  stdout: string;
  /** At most the last 64 KiB of standard error. */
  stderr: string;
  timedOut: boolean;
  /** Output exceeded maxOutputBytes, and the command was killed. */
  outputExceeded: boolean;
};

/** A command that keeps running and answers lines, as restricted as any other in a container. */
export type DialogueSpec = Omit<
  CommandSpec,
  'timeoutMs' | 'maxOutputBytes' | 'proxy' | 'stdoutFile' | 'signal'
>;

export interface Dialogue {
  /**
   * Sends one line and resolves with the answer, one at a time. Rejects on a timeout; end it then.
   */
  ask(line: string, timeoutMs: number): Promise<string>;
  /** Removes the container. Idempotent. */
  end(): Promise<void>;
}

/**
 * Uid and gid that must own workspace and engine home; null: the runner's own user, who is not
 * root.
 */
export type WorkIdentity = { uid: number; gid: number } | null;

export interface ContainerEngine {
  /** Isolation of new attempts; it may change for a switching engine. */
  readonly isolation: Isolation;
  readonly workIdentity: WorkIdentity;
  /** Origin of the model proxy as an engine sees it, such as `http://127.0.0.1:8099`. */
  proxyOrigin(proxy: ProxyAccess): string;
  /**
   * Checks the engine. Throws with advice when the daemon does not answer or the image is missing.
   */
  check(): Promise<{
    version: string;
    image: string;
    labels?: Record<string, string>;
    /** Missing protections, in sentences. */
    gaps?: string[];
  }>;
  /**
   * Creates and starts a container. A repeated call for the same owner returns the existing one.
   */
  start(spec: EngineContainerSpec): Promise<EngineContainer>;
  /**
   * Isolation level with a runtime; null: there is no such runtime. Left out by plain processes.
   */
  levelOf?(runtime: string | undefined): IsolationLevel | null;
  /** Isolation levels by default and with every runtime. Left out by plain processes. */
  levels?(): IsolationLevels;
  /** Whether this host's operator allows an image. Left out where images are not used. */
  allowsImage?(image: string): boolean;
  /** The restrictions in force. Left out where there are none. */
  locksOf?(container: ContainerName): Promise<Locks>;
  run(spec: CommandSpec): Promise<CommandResult>;
  /** Starts a command that keeps running and answers each line. Left out without isolation. */
  converse?(spec: DialogueSpec): Promise<Dialogue>;
  /**
   * Every labelled engine container of this runner, including stopped ones. Command containers that
   * a dead runner left are removed.
   */
  list(runnerId: string): Promise<EngineContainer[]>;
  /** Resource usage; null when not known (yet): the first sample has nothing to compare with. */
  stats?(container: ContainerName): Promise<ContainerStats | null>;
  /**
   * The engine of an isolation, or the present one, which does not change: an attempt keeps the one
   * it began with. Left out by engines that never change.
   */
  pinned?(isolation?: Isolation): ContainerEngine;
  close(): Promise<void>;
}
