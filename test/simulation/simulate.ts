import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { wholeNumber } from '../support/command/whole-number.ts';
import { isWrongUse } from '../support/command/wrong-use.ts';
import {
  MUTATIONS,
  type Mutation,
  mutationNamed,
  patchesOf,
} from '../support/simulation/mutations.ts';
import { PatchedTrees } from '../support/simulation/patched-tree.ts';
import { type Result, runJob, runSeeds } from '../support/simulation/run-jobs.ts';
import { SIMULATION_RUNS } from '../support/simulation/violation.ts';

const HELP = `usage: npm run simulate -- [--seeds N] [--seed S] [--mutations] [--verbose]

Runs the real control plane and the real runner against a simulated clock, network, disk, Docker,
tracker and people, with faults, and checks the invariants of docs/runner-protocol.md from outside.

  --seeds N      how many seeds to run (default 200, or 1 with --seed)
  --seed S       the first seed (default 1)
  --mutations    take out each safety rule in turn; fails unless each is caught by a seed
  --only NAMES   with --mutations: only these, separated by commas
  --mutation M   run the seeds with this rule taken out, to replay what caught it
  --rule-in-place  with --mutation: its faults and people only, the rule stays
  --verbose      print every line of what happened
  --jobs N       processes side by side (default 2)
  --help         this text

Exit code 0: every invariant held (with --mutations: every rule was caught). 1: not. 2: wrong use.`;

const TRACE_LINES = 40;
const SEEDS_PER_PROCESS = 50;
const SEEDS_PER_PROGRESS_LINE = 100;
/** From so many seeds on, fewer containers than seeds mean that nothing was put to the test. */
const TELLING_SEEDS = 20;

// A reader that has seen enough (`| head`) is no failure.
process.stdout.on('error', () => process.exit(1));

function readFlags() {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string' },
      seed: { type: 'string' },
      jobs: { type: 'string', default: '2' },
      only: { type: 'string' },
      mutation: { type: 'string' },
      mutations: { type: 'boolean', default: false },
      'rule-in-place': { type: 'boolean', default: false },
      verbose: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const { seed, jobs, mutation = null, mutations, verbose, help, only } = values;
  const seeds = values.seeds ?? (seed === undefined ? '200' : '1');
  return {
    first: wholeNumber('--seed', seed ?? '1', Number.MAX_SAFE_INTEGER),
    count: wholeNumber('--seeds', seeds, Number.MAX_SAFE_INTEGER),
    jobs: wholeNumber('--jobs', jobs, Number.MAX_SAFE_INTEGER),
    mutation,
    mutations,
    ruleInPlace: values['rule-in-place'],
    verbose,
    help,
    only: only?.split(',') ?? null,
  };
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function replayOf(result: Result, mutation: string | null): string {
  const taken = mutation === null ? '' : ` --mutation ${mutation}`;
  return `npm run simulate -- --seed ${result.seed}${taken} --verbose`;
}

function report(result: Result, mutation: string | null): void {
  const { violation } = result;
  if (violation === null) return;
  print(`\nseed ${result.seed} broke: ${violation.invariant}`);
  print(`  at ${(violation.atMs / 1_000).toFixed(3)} s: ${violation.detail}`);
  for (const line of result.trace.slice(-TRACE_LINES)) print(`  ${line.slice(0, 240)}`);
  print(`  replay: ${replayOf(result, mutation)}`);
}

type Flags = ReturnType<typeof readFlags> & { folder: string; trees: PatchedTrees };

async function runPlain(flags: Flags): Promise<boolean> {
  const startedMs = Date.now();
  const seeds = Array.from({ length: flags.count }, (_, index) => flags.first + index);
  const { mutation, ruleInPlace, folder, trees } = flags;
  const patches = mutation === null ? [] : patchesOf(mutationNamed(mutation), { ruleInPlace });
  const job = {
    mutation,
    ruleInPlace,
    stopAtViolation: false,
    echo: flags.verbose,
    root: trees.rootOf(patches),
    folder,
  };
  const failed: Result[] = [];
  const counts = { containers: 0, finishes: 0, deliveries: 0, offers: 0, acks: 0 };
  const total = { seeds: 0, virtualMs: 0, ...counts };
  const jobs = flags.verbose ? 1 : flags.jobs;
  await runSeeds(seeds, jobs, job, (result) => {
    report(result, mutation);
    if (result.violation !== null) failed.push(result);
    total.seeds += 1;
    total.virtualMs += result.virtualMs;
    for (const name of ['containers', 'finishes', 'deliveries', 'offers', 'acks'] as const)
      total[name] += result.counts[name] ?? 0;
    if (total.seeds % SEEDS_PER_PROGRESS_LINE === 0 && total.seeds < flags.count)
      process.stderr.write(`${total.seeds} of ${flags.count} seeds, ${failed.length} broke\n`);
    if (flags.count === 1) print(`seed ${result.seed} trace ${result.hash}`);
  });
  const hours = (total.virtualMs / 3_600_000).toFixed(1);
  print(
    `${total.seeds} seeds, ${hours} simulated hours, ${total.offers} offers, ${total.containers} containers, ` +
      `${total.finishes} attempts finished, ${total.deliveries} with a delivery, ` +
      `${total.acks} acknowledgements: ${failed.length} seeds broke an invariant ` +
      `(${((Date.now() - startedMs) / 1_000).toFixed(0)} s)`,
  );
  if (failed.length > 0)
    print(
      `failed seeds: ${failed
        .map(({ seed }) => seed)
        .sort((a, b) => a - b)
        .join(' ')}`,
    );
  const least = Math.min(total.containers, total.deliveries);
  const idle = total.seeds >= TELLING_SEEDS && least < total.seeds;
  if (idle) print('hardly any agent ran or delivered: the simulation itself is broken');
  return failed.length === 0 && total.seeds === flags.count && !idle;
}

type Attempted = { mutation: Mutation; seeds: number; nextSeed: number; by: Result | null };

/** Takes one rule out until a seed notices. */
async function tryMutation(tried: Attempted, flags: Flags): Promise<void> {
  const { mutation } = tried;
  const last = flags.first + mutation.maxSeeds - 1;
  while (tried.by === null && tried.nextSeed <= last) {
    const length = Math.min(SEEDS_PER_PROCESS, last - tried.nextSeed + 1);
    const seeds = Array.from({ length }, (_, index) => tried.nextSeed + index);
    const job = {
      root: flags.trees.rootOf(patchesOf(mutation)),
      seeds,
      mutation: mutation.name,
      ruleInPlace: false,
      stopAtViolation: true,
      echo: false,
      folder: flags.folder,
    };
    await runJob(job, (result) => {
      tried.seeds += 1;
      tried.nextSeed = result.seed + 1;
      // What breaks the simulation itself says nothing about the rule.
      if (result.violation?.invariant === SIMULATION_RUNS) {
        report(result, mutation.name);
        throw new Error(`the simulation breaks without ${mutation.name}`);
      }
      if (result.violation !== null) tried.by = result;
    });
  }
  const words = tried.by?.violation?.invariant ?? 'NOT CAUGHT';
  const seed = tried.by === null ? '-' : `seed ${tried.by.seed}`;
  print(
    `${mutation.name.padEnd(22)}${String(tried.seeds).padStart(6)}${seed.padStart(11)}  ${words}`,
  );
}

/** A seed that breaks an invariant with the rule in place too says nothing about the rule. */
async function brokenAnyway(found: readonly Attempted[], flags: Flags): Promise<Attempted[]> {
  const broken: Attempted[] = [];
  const waiting = [...found];
  const work = async () => {
    for (let tried = waiting.shift(); tried !== undefined; tried = waiting.shift()) {
      if (tried.by === null) continue;
      const one = tried;
      const job = {
        root: flags.trees.rootOf(patchesOf(tried.mutation, { ruleInPlace: true })),
        seeds: [tried.by.seed],
        mutation: tried.mutation.name,
        ruleInPlace: true,
        stopAtViolation: false,
        echo: false,
        folder: flags.folder,
      };
      await runJob(job, (result) => {
        if (result.violation === null) return;
        report(result, tried.mutation.name);
        broken.push(one);
      });
    }
  };
  await Promise.all(Array.from({ length: flags.jobs }, work));
  return broken;
}

async function runMutations(flags: Flags): Promise<boolean> {
  const chosen = MUTATIONS.filter(({ name }) => flags.only === null || flags.only.includes(name));
  const all: Attempted[] = chosen.map((mutation) => ({
    mutation,
    seeds: 0,
    nextSeed: flags.first,
    by: null,
  }));
  print(`${'rule'.padEnd(22)}${'seeds'.padStart(6)}${'caught by'.padStart(11)}  broken invariant`);
  for (let open = all; open.length > 0; open = await brokenAnyway(open, flags)) {
    for (const tried of open) {
      if (tried.by !== null)
        print(`seed ${tried.by.seed} breaks with ${tried.mutation.name} in place too; looking on`);
      tried.by = null;
    }
    const waiting = [...open];
    const work = async () => {
      for (let tried = waiting.shift(); tried !== undefined; tried = waiting.shift())
        await tryMutation(tried, flags);
    };
    await Promise.all(Array.from({ length: flags.jobs }, work));
  }
  const missed = all.filter(({ by }) => by === null);
  print(`${all.length - missed.length} of ${all.length} rules were caught when taken out`);
  return missed.length === 0;
}

/** Best on a RAM disk; gone with this process. */
function ownFolder(): string {
  const ramDisk = '/dev/shm';
  const parent = existsSync(ramDisk) ? ramDisk : tmpdir();
  const folder = mkdtempSync(join(parent, 'switchyard-simulation-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  return folder;
}

try {
  const flags = readFlags();
  if (flags.help) {
    print(HELP);
  } else {
    const folder = ownFolder();
    const run = flags.mutations ? runMutations : runPlain;
    process.exitCode = (await run({ ...flags, folder, trees: new PatchedTrees(folder) })) ? 0 : 1;
  }
} catch (error) {
  if (!isWrongUse(error)) throw error;
  process.stderr.write(`${error.message}\n\n${HELP}\n`);
  process.exitCode = 2;
}
