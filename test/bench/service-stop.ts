import { type Bench, startBench } from '../support/e2e/start-bench.ts';
import { slow } from '../support/scripted-model/scripts.ts';
import { median } from './median.ts';

/** `switchyard start` promises to end within so long of a signal. */
const GOAL_MS = 10_000;

export type ServiceStop = {
  /** From SIGTERM to the end of the process, with nothing to do. */
  idleMs: number;
  /** The same while an agent works. */
  busyMs: number;
};

/** Stops a service with its runner on this machine, idle and in the middle of a command. */
export async function measureServiceStop(repeats: number): Promise<ServiceStop> {
  const times = { idle: [] as number[], busy: [] as number[] };
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    const bench = await startBench({ script: slow() });
    try {
      times.idle.push(await stopOnce(bench));
      await bench.restart();
      const { identifier } = await bench.client.createIssue({ title: 'Wait' });
      await bench.client.commandRunning(identifier);
      times.busy.push(await stopOnce(bench));
    } finally {
      await bench.close();
    }
  }
  return { idleMs: median(times.idle), busyMs: median(times.busy) };
}

async function stopOnce({ service }: Bench): Promise<number> {
  const { ms, code } = await service.stop('SIGTERM');
  if (code !== 0) throw new Error(`the service ended with ${code}: ${service.output()}`);
  return ms;
}

export function stopRows({ idleMs, busyMs }: ServiceStop): [what: string, value: string][] {
  const goal = (ms: number) => `goal ${GOAL_MS} ms or less: ${ms <= GOAL_MS ? 'met' : 'missed'}`;
  const row = (what: string, ms: number): [string, string] => [
    `stop: SIGTERM to the end, ${what} (${goal(ms)})`,
    `${Math.round(ms)} ms`,
  ];
  return [row('nothing to do', idleMs), row('an agent works', busyMs)];
}
