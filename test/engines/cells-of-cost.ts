import Docker from 'dockerode';
import { DONE, type ReadyScript } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { exec, say } from '../../control-plane/scripted-provider/step.ts';
import { attemptTimes } from '../bench/attempt-times.ts';
import { timeBareContainer } from '../bench/bare-container.ts';
import { median } from '../bench/median.ts';
import { ownContainers } from '../support/e2e/own-containers.ts';
import { type Cell, END_LIMIT_MS, must } from './cell.ts';
import type { EngineWorld } from './engine-world.ts';

const DOCKER_TIMEOUT_MS = 20_000;
const REPEATS = 3;
const MIB = 1_048_576;

const nothing: ReadyScript = () => say(`Nothing is to be done here.\n\n${DONE}`);
const waits: ReadyScript = ({ stepIndex }) =>
  stepIndex === 0 ? exec('sleep 5') : say(`I waited.\n\n${DONE}`);

/** From the lease to the engine's first answer, against a bare `docker run` of the same engine. */
async function start({ bench, engine, plan, image }: EngineWorld): Promise<string> {
  plan('cell:start', nothing);
  const { client } = bench;
  const real: number[] = [];
  const bare: number[] = [];
  for (let repeat = 0; repeat <= REPEATS; repeat += 1) {
    const { identifier } = await client.createIssue({ title: `cell:start ${repeat}` });
    const issue = await client.settled(identifier, END_LIMIT_MS);
    must(issue.status === 'completed', 'the issue is completed', [issue.status, issue.reason]);
    const [attempt] = issue.attempts;
    const { events } = await client.attempt(attempt?.attemptId ?? '');
    const { startMs } = attemptTimes(Date.parse(attempt?.startedAt ?? ''), events);
    const bareMs = await timeBareContainer(image, engine.name);
    // The first of each warms caches up.
    if (repeat === 0) continue;
    real.push(startMs);
    bare.push(bareMs);
  }
  const ratio = median(real) / median(bare);
  return `${Math.round(median(real))} ms, ${ratio.toFixed(2)} x bare`;
}

async function memory({ bench, plan }: EngineWorld): Promise<string> {
  plan('cell:memory', waits);
  const { client } = bench;
  const { identifier } = await client.createIssue({ title: 'cell:memory' });
  const { attemptId } = await client.commandRunning(identifier, END_LIMIT_MS);
  const used = await Promise.all((await ownContainers({ attemptId })).map(({ id }) => usedBy(id)));
  await client.settled(identifier, END_LIMIT_MS);
  // Beside the agent's container there may be small ones that measure its folders.
  const mib = Math.round(Math.max(0, ...used) / MIB);
  must(mib > 0, 'a container of the attempt is there', used);
  return `${mib} MiB`;
}

/** Memory of a container without cached files; 0 when it has ended meanwhile. */
async function usedBy(id: string): Promise<number> {
  const docker = new Docker({ timeout: DOCKER_TIMEOUT_MS });
  const stats = await docker
    .getContainer(id)
    .stats({ stream: false })
    .catch(() => null);
  const { usage, stats: parts } = stats?.memory_stats ?? {};
  return usage === undefined ? 0 : usage - (parts?.inactive_file ?? 0);
}

export const CELLS_OF_COST: readonly Cell[] = [
  { name: 'start', show: start },
  { name: 'memory', show: memory },
];
