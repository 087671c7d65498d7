import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';

const WORKER = 'test/simulation/simulate-worker.ts';

const Result = z.object({
  seed: z.number(),
  violation: z.object({ invariant: z.string(), detail: z.string(), atMs: z.number() }).nullable(),
  trace: z.array(z.string()),
  hash: z.string(),
  virtualMs: z.number(),
  counts: z.record(z.string(), z.number()),
});
/** What became of one seed. */
export type Result = z.infer<typeof Result>;

export type Job = {
  /** Of the sources that are run. */
  root: string;
  seeds: readonly number[];
  /** Name of the rule that is taken out. */
  mutation: string | null;
  /** Only the scenario of that rule, with the rule. */
  ruleInPlace: boolean;
  stopAtViolation: boolean;
  echo: boolean;
  /** Where the databases go, best a RAM disk. */
  folder: string;
};

/** Runs seeds in a process of their own. Rejects when that process does not end well. */
export async function runJob(job: Job, each: (result: Result) => void): Promise<void> {
  const worker = join(job.root, WORKER);
  const args = ['--disable-warning=ExperimentalWarning', worker, JSON.stringify(job)];
  const child = spawn(process.execPath, args, {
    // One thread does what it is asked for in order, so that a seed always gives the same run.
    env: { ...process.env, UV_THREADPOOL_SIZE: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('{"result":'))
      each(z.object({ result: Result }).parse(JSON.parse(line)).result);
    else process.stdout.write(`${line}\n`);
  }
  const code = await closed;
  if (code !== 0) throw new Error(`the simulation's process ended with code ${code ?? 'none'}`);
}

/** Deals seeds out to several processes. */
export async function runSeeds(
  seeds: readonly number[],
  jobs: number,
  job: Omit<Job, 'seeds'>,
  each: (result: Result) => void,
): Promise<void> {
  const count = Math.min(jobs, seeds.length);
  const hands = Array.from({ length: count }, (_, hand) =>
    seeds.filter((_seed, index) => index % count === hand),
  );
  await Promise.all(hands.map((hand) => runJob({ ...job, seeds: hand }, each)));
}
