import type { Dialogue, DialogueSpec } from '../../container/container-engine.ts';
import type { PreparedWorkspace } from '../../workspace/workspace.ts';
import { workspaceUsage } from '../../workspace/disk/workspace-usage.ts';
import type { AttemptContext } from '../attempt-deps.ts';
import { readShellProgram } from '../../shell/read-shell-program.ts';
import type { EngineHome } from '../companions/engine-place.ts';
import { CONTAINER_HOME } from '../mounts/engine-home.ts';
import { imageOf } from '../mounts/workspace-mounts.ts';

const PROGRAM = readShellProgram(new URL('./disk-gauge.sh', import.meta.url));
/** Limit of one walk through a folder; a measurement makes at most five for each folder. */
const WALK_SECONDS = 120;
const ANSWER_TIMEOUT_MS = 20 * 60_000;
const MIB = 1024 * 1024;
/** The container lists and counts, slowly if needed. */
const RESOURCES = { memoryBytes: 256 * MIB, cpus: 0.5, pids: 32, tmpfsBytes: MIB };
/** Without a container this process lists the files itself. */
const MAX_ENTRIES = 2_000_000;

/** Disk usage of an attempt on its host. */
export type DiskUse = {
  bytes: number;
  entries: number;
  /** Bytes of the workspace alone. */
  workspaceBytes: number;
  /** A part could not be counted: unreadable, or too large for the time limit. */
  isHidden: boolean;
};

export interface DiskGauge {
  measure(signal: AbortSignal): Promise<DiskUse>;
  end(): Promise<void>;
}

/**
 * Measures the files of an attempt while it writes: in a container with the same folders, where no
 * link leads to this host and the work counts as the attempt's. For a plain process this process
 * lists open folders itself.
 */
export function diskGaugeOf(
  context: AttemptContext,
  workspace: PreparedWorkspace,
  home: EngineHome,
): DiskGauge {
  const { containers } = context.deps;
  const open = containers.converse?.bind(containers);
  return open === undefined
    ? hostGauge([workspace.path, home.path])
    : new ContainerGauge(open, specOf(context, workspace, home));
}

function hostGauge(folders: readonly string[]): DiskGauge {
  return {
    async measure(signal) {
      const usages = [];
      for (const folder of folders)
        usages.push(await workspaceUsage(folder, { maxEntries: MAX_ENTRIES, signal }));
      return {
        bytes: usages.reduce((sum, { diskBytes }) => sum + diskBytes, 0),
        entries: usages.reduce((sum, { entries }) => sum + entries, 0),
        workspaceBytes: usages[0]?.diskBytes ?? 0,
        // Files removed during the count are indistinguishable here.
        isHidden: false,
      };
    },
    end: () => Promise.resolve(),
  };
}

class ContainerGauge implements DiskGauge {
  readonly #open: (spec: DialogueSpec) => Promise<Dialogue>;
  readonly #spec: DialogueSpec;
  #opening: Promise<Dialogue> | null = null;
  #wasHidden = false;
  #ended = false;

  constructor(open: (spec: DialogueSpec) => Promise<Dialogue>, spec: DialogueSpec) {
    this.#open = open;
    this.#spec = spec;
  }

  async measure(): Promise<DiskUse> {
    if (this.#ended) throw new Error('disk use is no longer measured');
    this.#opening ??= this.#open(this.#spec);
    try {
      const dialogue = await this.#opening;
      const answer = await dialogue.ask(this.#wasHidden ? 'open' : 'look', ANSWER_TIMEOUT_MS);
      const use = diskUseIn(answer);
      this.#wasHidden = use.isHidden;
      return use;
    } catch (error) {
      // The next measurement starts a new container.
      await this.#close();
      throw error;
    }
  }

  async end(): Promise<void> {
    this.#ended = true;
    await this.#close();
  }

  async #close(): Promise<void> {
    const dialogue = await this.#opening?.catch(() => null);
    this.#opening = null;
    await dialogue?.end();
  }
}

/** Parses the script's output. Throws on anything else. */
export function diskUseIn(answer: string): DiskUse {
  const folders = [...answer.matchAll(/ (\d{1,15}|x):(\d{1,15}|x):(c?)/g)];
  if (folders.length === 0 || folders.map(([text]) => text).join('') !== answer)
    throw new Error('the container that measures answered nonsense');
  const numbers = folders.map(([, kib = '', entries = '', closed]) => ({
    bytes: kib === 'x' ? 0 : Number(kib) * 1024,
    entries: entries === 'x' ? 0 : Number(entries),
    isHidden: kib === 'x' || entries === 'x' || closed === 'c',
  }));
  return {
    bytes: numbers.reduce((sum, { bytes }) => sum + bytes, 0),
    entries: numbers.reduce((sum, { entries }) => sum + entries, 0),
    workspaceBytes: numbers[0]?.bytes ?? 0,
    isHidden: numbers.some(({ isHidden }) => isHidden),
  };
}

function specOf(
  context: AttemptContext,
  workspace: PreparedWorkspace,
  home: EngineHome,
): DialogueSpec {
  const folders = [workspace.path, CONTAINER_HOME];
  return {
    owner: context.owner,
    purpose: 'disk',
    image: imageOf(context),
    argv: ['sh', '-c', PROGRAM, 'gauge', String(WALK_SECONDS), ...folders],
    env: { LC_ALL: 'C' },
    workingDirectory: '/',
    mounts: [
      {
        hostPath: workspace.path,
        containerPath: workspace.path,
        readOnly: context.spec.readOnly === true,
      },
      { hostPath: home.path, containerPath: CONTAINER_HOME, readOnly: false },
    ],
    resources: RESOURCES,
    runtime: context.spec.sandbox.runtime,
  };
}
