import { cutText } from '@switchyard/shared/text/cut-text';
import { parseEngines } from './container/docker/image/engine-labels.ts';
import { readFileSync } from 'node:fs';
import { cpus, homedir, hostname, totalmem } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import type { ConfiguredAgent } from './engine/acp/profiles/configured/configured-agents.ts';

const GIB = 1024 ** 3;
const AGENT_BYTES = 4 * GIB;
const AGENT_CPUS = 2;
const MAX_SLOTS = 64;

/**
 * Number of agents that fit on the host: 4 GiB and 2 cores each, after a reserve of the same; at
 * least one.
 */
export function defaultSlots(host = { memoryBytes: totalmem(), cpuCount: cpus().length }): number {
  const byMemory = Math.floor((host.memoryBytes - AGENT_BYTES) / AGENT_BYTES);
  const byCpu = Math.floor((host.cpuCount - AGENT_CPUS) / AGENT_CPUS);
  return Math.min(MAX_SLOTS, Math.max(1, Math.min(byMemory, byCpu)));
}

/** Parses a whole number from 1 to 64; throws on anything else. */
export function parseSlots(text: string): number {
  const slots = Number(text);
  if (!Number.isInteger(slots) || slots < 1 || slots > MAX_SLOTS) {
    throw new Error(`--slots takes a whole number from 1 to ${MAX_SLOTS}`);
  }
  return slots;
}

/** Parses `a,b, c` into labels without blanks and duplicates. */
export function parseLabels(text: string): string[] {
  const labels = text.split(',').map((label) => label.trim());
  const kept = [...new Set(labels.filter((label) => label !== ''))];
  const bad = kept.find((label) => label.length > 128);
  if (bad !== undefined || kept.length > 64)
    throw new Error('--labels takes at most 64 labels of 128 characters');
  return kept;
}

export const SANDBOXES = ['auto', 'docker', 'process'] as const;
export type SandboxChoice = (typeof SANDBOXES)[number];

export type RunOptions = {
  dataDir: string;
  slots: number;
  /** Labels; undefined: those from joining. */
  labels: string[] | undefined;
  sandbox: SandboxChoice;
  /** A configured sandbox image, which is pulled and never built; undefined: the product's own. */
  image?: string | undefined;
  /** Debian image on which the product's own image is built. */
  baseImage?: string | undefined;
  /** The control plane's administrators operate this runner and may choose any base image. */
  anyBaseImage?: boolean;
  /** Engines that the own image must have; undefined: any. */
  engines?: string[] | undefined;
  /** The terms of proprietary engines are accepted. */
  acceptLicence?: boolean;
  /** Build or pull a missing sandbox image in the background. */
  buildImage?: boolean;
  /** Further images that a control plane may name; a final asterisk matches anything. */
  allowImages?: string[];
  /** Private hosts that agents may reach if their configuration allows them. */
  allowPrivateHosts?: string[];
  /** Folders of this host in which repositories are allowed. Default: none. */
  allowFolders?: string[];
  /** Command that starts this runner, for messages. Default: not known. */
  startCommand?: string;
  /** Agents that this host's operator defines in addition to the product's own. */
  agents?: readonly ConfiguredAgent[];
  signingKeyPath: string | undefined;
  stopAttemptsOnExit: boolean;
};

/** Default data folder of a runner. */
export function defaultDataDir(env: NodeJS.ProcessEnv = process.env): string {
  const state = env['XDG_STATE_HOME'];
  const base = state !== undefined && state !== '' ? state : join(homedir(), '.local', 'state');
  return resolve(base, 'switchyard', 'runner');
}

/**
 * Settings of the sandbox image from the environment, which suit service files; flags take
 * precedence.
 */
export function imageSettings(env: NodeJS.ProcessEnv): {
  image?: string;
  baseImage?: string;
  engines?: string[];
  buildImage: boolean;
} {
  const given = (name: string) => (env[name] === '' ? undefined : env[name]);
  const image = given('SWITCHYARD_SANDBOX_IMAGE');
  const baseImage = given('SWITCHYARD_BASE_IMAGE');
  const engines = given('SWITCHYARD_SANDBOX_ENGINES');
  return {
    ...(image === undefined ? {} : { image }),
    ...(baseImage === undefined ? {} : { baseImage }),
    ...(engines === undefined ? {} : { engines: parseEngines(engines) }),
    buildImage: /^(1|true|yes)$/i.test(given('SWITCHYARD_BUILD_IMAGE') ?? ''),
  };
}

/** Folders for repositories from `SWITCHYARD_ALLOW_FOLDERS`, separated as in `PATH`. */
export function folderSettings(env: NodeJS.ProcessEnv): string[] {
  return (env['SWITCHYARD_ALLOW_FOLDERS'] ?? '').split(delimiter).filter((text) => text !== '');
}

/**
 * Definition of the operator's own agents: from the file of a flag, else from `SWITCHYARD_AGENTS`.
 * Null: there is none. Throws when the file cannot be read.
 */
export function agentsText(file: string | undefined, env: NodeJS.ProcessEnv): string | null {
  if (file !== undefined) return readFileSync(resolve(file), 'utf8');
  const text = env['SWITCHYARD_AGENTS'];
  return text === undefined || text === '' ? null : text;
}

export function defaultName(): string {
  return cutText(hostname(), 128) || 'runner';
}

/**
 * Reads how to join from the environment, for a runner that its control plane starts. The variables
 * are deleted.
 */
export function takeJoinFromEnvironment(
  env: NodeJS.ProcessEnv,
): { url: string; token: string; parentPid?: number; parentCommand?: string } | null {
  const token = env['SWITCHYARD_JOIN_TOKEN'];
  const url = env['SWITCHYARD_CONTROL_PLANE'];
  delete env['SWITCHYARD_JOIN_TOKEN'];
  const parent = Number(env['SWITCHYARD_CONTROL_PLANE_PID']);
  delete env['SWITCHYARD_CONTROL_PLANE'];
  const parentCommand = env['SWITCHYARD_CONTROL_PLANE_COMMAND'];
  delete env['SWITCHYARD_CONTROL_PLANE_PID'];
  delete env['SWITCHYARD_CONTROL_PLANE_COMMAND'];
  if (token === undefined || url === undefined) return null;
  return Number.isInteger(parent) && parent > 0
    ? { url, token, parentPid: parent, ...(parentCommand === undefined ? {} : { parentCommand }) }
    : { url, token };
}

/** Values of a runner that stay the same while its process lives. */
export type RunnerSettings = {
  runnerId: string;
  bootId: string;
  /** Folder with all data of this runner. */
  dataDir: string;
  /** Sandbox image where none is named. */
  image: string;
};
