import type { DatabaseProbe } from './database-probe.ts';
import { People } from './people.ts';
import type { Random } from './random.ts';
import { unrestedMerges } from './merge-watch.ts';
import { waitingParents } from './tree-watch.ts';
import { Trouble } from './trouble.ts';
import { World } from './world.ts';
import type { Scenario, Tampering, Template } from './world-options.ts';
import { SIMULATION_RUNS, type Violation } from './violation.ts';

/** Faults end here. */
const TROUBLE_MS = 70_000;
/** After the last fault everything is over within this: leases, backoffs and budgets included. */
const REST_MS = 1_500_000;
const POLL_MS = 5_000;

export type SeedResult = {
  seed: number;
  violation: Violation | null;
  trace: string[];
  hash: string;
  virtualMs: number;
  counts: Record<string, number>;
};

/** One run of the world from its seed: always the same for the same code. */
export async function runSeed(options: {
  seed: number;
  folder: string;
  template: Template;
  tampering: Tampering;
  scenario: Scenario;
  echo: boolean;
}): Promise<SeedResult> {
  const world = new World(options);
  const people = new People(world);
  const trouble = new Trouble(world, people);
  const { checker, time } = world;
  const broken = () => checker.violation !== null;
  let rested = false;
  try {
    await begin(world, people);
    schedule(world, () => people.click(), { lowMs: 2_000, highMs: 11_000 });
    schedule(world, () => trouble.strike(), { lowMs: 1_500, highMs: 10_000 });
    const { trees, merges } = people;
    if (trees !== null)
      schedule(world, () => trees.click(), { lowMs: 1_000, highMs: 6_000, random: trees.random });
    if (merges !== null)
      schedule(world, () => merges.click(), { lowMs: 500, highMs: 6_000, random: merges.random });
    while (!broken() && !rested && time.nowMs < TROUBLE_MS + REST_MS) {
      const before = time.nowMs;
      refuseRealWaits();
      await time.runUntil(time.nowMs + POLL_MS, broken);
      if (before < TROUBLE_MS && time.nowMs >= TROUBLE_MS) trouble.heal();
      if (time.nowMs > TROUBLE_MS) await tidyUp(world, people);
      const plane = world.planes.find((one) => one?.alive === true);
      if (plane == null) continue;
      await checker.poll(plane.look, (runnerId) => slotsOf(world, runnerId));
      if (time.nowMs > TROUBLE_MS)
        await checker.heldSets(plane.look, (runnerId, ...lease) => holds(world, runnerId, lease));
      rested =
        time.nowMs > TROUBLE_MS + POLL_MS * 2 && (await whyNotAtRest(world, plane.look)) === null;
    }
    await end(world, { rested });
  } catch (error) {
    checker.fail(
      SIMULATION_RUNS,
      error instanceof Error ? (error.stack ?? error.message) : String(error),
    );
  } finally {
    world.close();
  }
  return {
    seed: options.seed,
    violation: checker.violation,
    trace: world.trace.last(60),
    hash: world.trace.hash,
    virtualMs: Math.round(time.nowMs),
    counts: { ...checker.counts, events: time.events, tampered: world.tampered },
  };
}

/** What waits for a real timer or another process would make two runs of a seed differ. */
function refuseRealWaits(): void {
  const waits = process.getActiveResourcesInfo().filter((name) => /^(Timeout|Process)/.test(name));
  if (waits.length > 0)
    throw new Error(`something waits for the real world: ${[...new Set(waits)].join(', ')}`);
}

async function begin(world: World, people: People): Promise<void> {
  const { random, time } = world;
  const startPlane = (index: number) => {
    world.startPlane(index).catch((error: unknown) => world.trace.add('plane', String(error)));
  };
  startPlane(0);
  if (random.chance(0.5)) time.after(random.int(0, 20_000), () => startPlane(1));
  for (const runner of world.runners) {
    time.after(random.int(0, 3_000), () => {
      runner
        .start()
        .catch((error: unknown) =>
          world.trace.add(runner.host.name, `start failed: ${String(error)}`),
        );
    });
  }
  await time.runUntil(1_000);
  const issues = random.int(3, 5);
  for (let index = 0; index < issues; index += 1) {
    const plane = world.leader();
    if (plane !== null) people.create(plane);
    await time.runUntil(time.nowMs + 50);
  }
}

/** Runs it again and again while there is trouble. */
function schedule(
  world: World,
  run: () => void,
  when: { lowMs: number; highMs: number; random?: Random },
): void {
  const { lowMs, highMs, random = world.random } = when;
  const next = () => {
    world.time.after(random.int(lowMs, highMs), () => {
      if (world.time.nowMs > TROUBLE_MS) return;
      run();
      next();
    });
  };
  next();
}

function holds(world: World, runnerId: string, lease: [attemptId: string, epoch: number]): boolean {
  return world.runners.some((runner) => runner.runnerId === runnerId && runner.holds(...lease));
}

function slotsOf(world: World, runnerId: string): number {
  return world.runners.find((runner) => runner.runnerId === runnerId)?.slots ?? 0;
}

/** A pause is lifted, sub-issues at rest are closed, and a runner that was drained is started again. */
async function tidyUp(world: World, people: People): Promise<void> {
  const plane = world.leader();
  if (plane === null) return;
  // A pause whose answer was lost is in force all the same.
  const paused = await plane.look.execute(`select 1 from facts where name = 'paused'`);
  if (paused.rows.length > 0) people.resume(plane);
  await people.trees?.closeResting(plane);
  await people.merges?.unblock(plane);
  const { rows } = await plane.look.execute(
    'select runner_id from runners where draining = 1 and connected = 1',
  );
  const start = (runner: World['runners'][number]) =>
    runner
      .start()
      .catch((error: unknown) =>
        world.trace.add(runner.host.name, `start failed: ${String(error)}`),
      );
  // One that was still stopping, on a host that slept, when everybody else was started.
  for (const runner of world.runners) if (!runner.running) void start(runner);
  for (const { runner_id: runnerId } of rows) {
    const runner = world.runners.find((one) => one.runnerId === runnerId);
    if (runner === undefined || !runner.running || runner.held() > 0) continue;
    runner.kill();
    void start(runner);
  }
}

/** What keeps the world from being at rest, in words; null when nothing does. */
async function whyNotAtRest(world: World, look: DatabaseProbe): Promise<string | null> {
  const waiting = await look.execute(
    `select identifier, status, reason from issues i where status in ('queued', 'running', 'retrying')
     or (status = 'idle' and state in ('Todo', 'In Progress'))`,
  );
  if (waiting.rows.length > 0) return `issues: ${JSON.stringify(waiting.rows)}`;
  const live = await look.execute(
    `select attempt_id, identifier, status, phase, runner_id, epoch from attempts where status in ('queued', 'running')`,
  );
  if (live.rows.length > 0) return `attempts: ${JSON.stringify(live.rows)}`;
  if (world.hasTrees) {
    const parents = await waitingParents(look);
    if (parents.length > 0) return `split issues: ${JSON.stringify(parents)}`;
    const parts = await look.execute(
      `select identifier, state from local_issues
       where parent_id is not null and state not in ('Done', 'Canceled')`,
    );
    if (parts.rows.length > 0) return `sub-issues: ${JSON.stringify(parts.rows)}`;
  }
  if (world.mergePolicy !== null) {
    const merges = await unrestedMerges(look);
    if (merges.length > 0) return `merges: ${JSON.stringify(merges)}`;
  }
  const outbox = await look.execute(
    `select key, tries, last_error from jobs where status = 'pending' and kind <> 'timer'`,
  );
  if (outbox.rows.length > 0) return `effects: ${JSON.stringify(outbox.rows)}`;
  for (const runner of world.runners) {
    const containers = [...runner.docker.containers.keys()];
    if (containers.length > 0) return `containers on ${runner.host.name}: ${containers.join(', ')}`;
    if (runner.held() > 0) return `${runner.host.name} holds ${runner.held()} leases`;
  }
  for (const { docker, host } of world.twins) {
    // Nobody is left there to remove what has stopped.
    const running = [...docker.containers.values()].filter((container) => container.running);
    if (running.length > 0) return `containers on ${host.name}: ${running.length}`;
  }
  return null;
}

async function end(world: World, { rested }: { rested: boolean }): Promise<void> {
  const { checker } = world;
  const plane = world.planes.find((one) => one?.alive === true);
  if (checker.violation !== null) return;
  if (plane == null) return checker.fail('everything comes to rest', 'no control plane is up');
  if (!rested) {
    const why = (await whyNotAtRest(world, plane.look)) ?? 'unknown';
    const orphan = why.startsWith('containers');
    return checker.fail(orphan ? 'no container stays behind' : 'everything comes to rest', why);
  }
  await checker.atEnd(plane.look);
}
