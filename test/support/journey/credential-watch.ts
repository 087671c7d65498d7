import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Docker from 'dockerode';
import { filesWith } from '../e2e/files-with.ts';
import { watchProcesses } from '../github/watch-processes.ts';

const CONTAINERS_EVERY_MS = 200;
const CONTROL_LIFE_S = 600;

/** Where a text was found: names of places, never the text. */
export type CredentialFinding = string;

export type CredentialWatch = {
  /** Files below the folder that hold one of the texts now. */
  inFiles(): Promise<CredentialFinding[]>;
  /** Looks everywhere else and ends. */
  stop(texts: Readonly<Record<string, string>>): Promise<CredentialFinding[]>;
  /** Places in which texts that were planted on purpose were not found: the search itself failed. */
  missedControls(): string[];
  containersSeen(): number;
};

/**
 * Looks for credentials for as long as work goes on: in every process's command line and
 * environment, in what Docker says of containers, and in files. Texts planted on purpose show that
 * each of these looks would find something.
 */
export async function watchCredentials(given: {
  folder: string;
  planted: () => readonly string[];
  /** Null: no containers are looked at. */
  containersOf: string | null;
}): Promise<CredentialWatch> {
  const control = {
    argv: `control-${randomBytes(12).toString('hex')}`,
    environ: `control-${randomBytes(12).toString('hex')}`,
    file: `control-${randomBytes(12).toString('hex')}`,
  };
  const decoys = plantDecoys(control);
  const place = join(given.folder, 'control', 'deep');
  await mkdir(place, { recursive: true });
  await writeFile(join(place, 'planted.txt'), `x${control.file}x`);
  const own = watchProcesses(given.planted);
  const controls = {
    argv: watchProcesses(() => [control.argv]),
    environ: watchProcesses(() => [control.environ]),
  };
  const containers = given.containersOf === null ? null : watchContainers(given.containersOf);
  const missed = new Set<string>();
  const inFiles = async (): Promise<string[]> => {
    const found: string[] = [];
    for (const text of given.planted()) found.push(...(await filesWith(given.folder, text)));
    if ((await filesWith(given.folder, control.file)).length !== 1) missed.add('files');
    return [...new Set(found)];
  };
  return {
    inFiles,
    async stop(texts) {
      const found = [...(await own.stop()), ...(await inFiles())];
      for (const [place, watch] of Object.entries(controls)) {
        if ((await watch.stop()).length === 0) missed.add(`${place} of processes`);
      }
      for (const decoy of decoys) decoy.kill('SIGKILL');
      const inspected = (await containers?.stop()) ?? [];
      // What is certainly there stands for the search in containers.
      const label = `"switchyard.runner_id":"${given.containersOf ?? ''}"`;
      if (containers !== null && !inspected.some((text) => text.includes(label))) {
        missed.add('containers');
      }
      const all = { ...texts, containers: inspected.join('\n') };
      for (const text of given.planted()) {
        for (const [place, content] of Object.entries(all)) {
          if (content.includes(text)) found.push(place);
        }
      }
      return [...new Set(found)];
    },
    missedControls: () => [...missed],
    containersSeen: () => containers?.seen() ?? 0,
  };
}

/** Processes that only wait, one with a text in its command line, one with one in its environment. */
function plantDecoys(control: { argv: string; environ: string }): ChildProcess[] {
  const wait = `setTimeout(() => {}, ${CONTROL_LIFE_S * 1_000})`;
  const stdio = 'ignore' as const;
  return [
    spawn(process.execPath, ['-e', wait, control.argv], { stdio }),
    spawn(process.execPath, ['-e', wait], {
      stdio,
      env: { ...process.env, PLANTED: control.environ },
    }),
  ];
}

/** Collects what Docker says of a runner's containers, over their lives. */
function watchContainers(runnerId: string) {
  const docker = new Docker({ timeout: 10_000 });
  const filters = { label: [`switchyard.runner_id=${runnerId}`] };
  const texts = new Map<string, string>();
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      for (const { Id } of await docker.listContainers({ all: true, filters })) {
        // One that is removed in between was seen before or is seen by its successor.
        const told = await docker.getContainer(Id).inspect().catch(unlessGone);
        if (told !== null) texts.set(Id, JSON.stringify(told));
      }
      await delay(CONTAINERS_EVERY_MS);
    }
  })();
  return {
    seen: () => texts.size,
    async stop(): Promise<string[]> {
      isOver = true;
      await watching;
      return [...texts.values()];
    },
  };
}

function unlessGone(error: unknown): null {
  const isGone = error instanceof Error && 'statusCode' in error && error.statusCode === 404;
  if (!isGone) throw error;
  return null;
}
