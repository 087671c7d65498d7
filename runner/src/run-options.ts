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

/** What the host can hold: 4 GiB and 2 cores an agent, over a base of the same; at least one. */
export function defaultSlots(host = { memoryBytes: totalmem(), cpuCount: cpus().length }): number {
  const byMemory = Math.floor((host.memoryBytes - AGENT_BYTES) / AGENT_BYTES);
  const byCpu = Math.floor((host.cpuCount - AGENT_CPUS) / AGENT_CPUS);
  return Math.min(MAX_SLOTS, Math.max(1, Math.min(byMemory, byCpu)));
}

/** Throws on anything but a whole number from 1 to 64. */
export function parseSlots(text: string): number {
  const slots = Number(text);
  if (!Number.isInteger(slots) || slots < 1 || slots > MAX_SLOTS) {
    throw new Error(`--slots takes a whole number from 1 to ${MAX_SLOTS}`);
  }
  return slots;
}

/** `a,b, c` → labels without blanks and repeats. */
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
  /** Undefined: as joined. */
  labels: string[] | undefined;
  sandbox: SandboxChoice;
  /** A configured sandbox image, which is pulled and never built; undefined: our own. */
  image?: string | undefined;
  /** Debian image that our own is built on. */
  baseImage?: string | undefined;
  /** Whoever administers the control plane operates this runner, and may name any image to build on. */
  anyBaseImage?: boolean;
  /** Engines that our own image has to have; undefined: whatever it has. */
  engines?: string[] | undefined;
  /** The terms of proprietary engines among them are accepted. */
  acceptLicence?: boolean;
  /** Build or pull the sandbox image when it is missing, beside the work. */
  buildImage?: boolean;
  /** Further images that a control plane may name; a star at the end stands for anything. */
  allowImages?: string[];
  /** Hosts beyond the public internet that agents may reach where their configuration says so. */
  allowPrivateHosts?: string[];
  /** Folders of this host in which repositories may lie. Default: none. */
  allowFolders?: string[];
  /** Command that starts it, for people. Default: not known. */
  startCommand?: string;
  /** Agents that this host's operator defines beside ours. */
  agents?: readonly ConfiguredAgent[];
  signingKeyPath: string | undefined;
  stopAttemptsOnExit: boolean;
};

/** Where a runner keeps everything, unless told otherwise. */
export function defaultDataDir(env: NodeJS.ProcessEnv = process.env): string {
  const state = env['XDG_STATE_HOME'];
  const base = state !== undefined && state !== '' ? state : join(homedir(), '.local', 'state');
  return resolve(base, 'switchyard', 'runner');
}

/** Settings of the sandbox image that a service file sets more easily than flags; a flag comes first. */
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

/** Folders for repositories that `SWITCHYARD_ALLOW_FOLDERS` names, as `PATH` names its own. */
export function folderSettings(env: NodeJS.ProcessEnv): string[] {
  return (env['SWITCHYARD_ALLOW_FOLDERS'] ?? '').split(delimiter).filter((text) => text !== '');
}

/**
 * Text that defines agents of the operator's own: a file that a flag names, else `SWITCHYARD_AGENTS`.
 * Null: there are none. Throws when the file cannot be read.
 */
export function agentsText(file: string | undefined, env: NodeJS.ProcessEnv): string | null {
  if (file !== undefined) return readFileSync(resolve(file), 'utf8');
  const text = env['SWITCHYARD_AGENTS'];
  return text === undefined || text === '' ? null : text;
}

export function defaultName(): string {
  return cutText(hostname(), 128) || 'runner';
}

/** Join by environment, for a runner that its control plane starts. Deleted once read. */
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
