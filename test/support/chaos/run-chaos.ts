import { setTimeout as delay } from 'node:timers/promises';
import type { IssueDetail } from '@switchyard/shared/api/work/issue';
import { until } from '../e2e/until.ts';
import { WORK_PACE } from './chaos-work.ts';
import { ChaosWorld } from './chaos-world.ts';
import { lostAcknowledged } from './check-acknowledged.ts';
import { lostCommits } from './check-delivery.ts';
import { interleavedDriving } from './check-driving.ts';
import { describeFault, faultSchedule } from './fault-schedule.ts';
import { sharedWorkspaces } from './shared-workspaces.ts';
import { FaultMaker } from './perform-fault.ts';

/** Long enough for a loaded machine to renew in time, short enough to wait for its end often. */
const CHAOS_LEASE_TTL_MS = 18_000;
const SLOTS = 3;
const SERVES_TIMEOUT_MS = 60_000;
const FIRST_ENGINE_TIMEOUT_MS = 60_000;
const ENGINE_TIMEOUT_MS = 8_000;
const ORPHAN_TIMEOUT_MS = 20_000;
const RESTING = new Set(['completed', 'failed', 'blocked', 'cancelled']);

export type ChaosRun = {
  kills: number;
  attempts: number;
  seed: number;
  sandbox: 'process' | 'docker';
  leaseTtlMs?: number;
  /** The control plane runs in workerd; its objects are evicted and the Worker is restarted. */
  edge?: boolean;
  /** Agent engines that issues take turns with; left out: the default one. */
  engines?: readonly string[];
  /** Their accounts are used up for a while, each once, and the others go on meanwhile. */
  failover?: boolean;
  keepFolder?: boolean;
  /** Told what to do when the run is broken off: ends and removes everything. */
  started?: (close: () => Promise<void>) => void;
  /** Progress, one line at a time. */
  say: (line: string) => void;
};

export type ChaosResult = {
  kills: number;
  attempts: number;
  lostAcknowledgedEvents: number;
  overlaps: number;
  orphans: number;
  lostCommits: number;
  unfinished: number;
  /** Attempts of another engine than the issue's, and accounts that were asked with a wrong key. */
  strays: number;
  durationMs: number;
  seed: number;
};

/** The counts, and in words what stands behind each that is not 0. */
export type ChaosReport = { result: ChaosResult; problems: string[]; folder: string };

/** Faults while work is in flight, then everything is let come to rest and looked at from outside. */
export async function runChaos(run: ChaosRun): Promise<ChaosReport> {
  const startedMs = performance.now();
  const leaseTtlMs = run.leaseTtlMs ?? CHAOS_LEASE_TTL_MS;
  const { sandbox, seed, edge = false, engines = [], failover = false } = run;
  const shape = { sandbox, slots: SLOTS, leaseTtlMs, edge, engines, failover };
  const world = await ChaosWorld.start({ ...shape, pace: WORK_PACE });
  run.started?.(() => world.close());
  let failed = true;
  try {
    run.say(`seed ${seed}, folder ${world.folder}`);
    const works = new Map<string, number>();
    await hurt(world, run, { works, leaseTtlMs });
    const issues = await comeToRest(world, run, { works, leaseTtlMs });
    const report = await judge(world, { works, issues });
    failed = report.problems.length > 0;
    const { counts, problems } = report;
    const durationMs = Math.round(performance.now() - startedMs);
    const result = { kills: run.kills, attempts: run.attempts, ...counts, durationMs, seed };
    return { result, problems, folder: world.folder };
  } finally {
    await world.close({ keepFolder: failed || run.keepFolder === true });
  }
}

type Work = { works: Map<string, number>; leaseTtlMs: number };

/** New issues come in as the faults go on, so that there is always something to lose. */
async function hurt(world: ChaosWorld, run: ChaosRun, { works, leaseTtlMs }: Work): Promise<void> {
  const { seed, kills: faults, attempts } = run;
  const maker = new FaultMaker(world);
  const runners = world.runners.length;
  const startedMs = performance.now();
  const { edge = false } = run;
  const schedule = faultSchedule({ seed, faults, runners, leaseTtlMs, edge });
  for (const [index, fault] of schedule.entries()) {
    const wanted = Math.ceil((attempts * (index + 1)) / faults);
    await fileIssues(world, maker, works, wanted);
    await delay(fault.afterMs);
    if (!(await inFlight(world, index === 0 ? FIRST_ENGINE_TIMEOUT_MS : ENGINE_TIMEOUT_MS))) {
      if (index === 0) throw new Error('no agent ever started');
      // All that was filed is done already, or waits: something new, if there is anything left.
      await fileIssues(world, maker, works, Math.min(attempts, works.size + 1));
      await inFlight(world, ENGINE_TIMEOUT_MS);
    }
    const atS = ((performance.now() - startedMs) / 1_000).toFixed(1);
    run.say(`${atS} s, ${index + 1}/${faults}: ${describeFault(fault)}`);
    await maker.perform(fault);
  }
  await maker.settled();
  await fileIssues(world, maker, works, attempts);
}

async function inFlight(world: ChaosWorld, timeoutMs: number): Promise<boolean> {
  const look = () => world.watch.engines.length;
  const wait = { what: 'work in flight', timeoutMs };
  return until(look, (count) => count > 0, wait).then(
    () => true,
    () => false,
  );
}

async function fileIssues(
  world: ChaosWorld,
  maker: FaultMaker,
  works: Map<string, number>,
  wanted: number,
): Promise<void> {
  if (works.size >= wanted) return;
  const options = { what: 'a control plane that serves', timeoutMs: SERVES_TIMEOUT_MS };
  const look = () => {
    maker.check();
    return world.plane.isReady;
  };
  await until(look, (ready) => ready, options);
  while (works.size < wanted) {
    const work = works.size + 1;
    works.set(await world.createWork(work), work);
  }
}

async function comeToRest(world: ChaosWorld, run: ChaosRun, { works, leaseTtlMs }: Work) {
  const timeoutMs = 60_000 + 3 * leaseTtlMs + 15_000 * run.attempts;
  const atRest = new Map<string, IssueDetail>();
  const look = async () => {
    for (const identifier of works.keys()) {
      if (atRest.has(identifier)) continue;
      const issue = await world.ask((client) => client.issue(identifier));
      const delivered = issue.status !== 'completed' || issue.state === 'In Review';
      if (RESTING.has(issue.status) && delivered) atRest.set(identifier, issue);
    }
    return atRest.size;
  };
  const options = { what: 'every issue at rest', timeoutMs };
  const done = (count: number) => count === works.size;
  await until(look, done, options).catch((error: unknown) => run.say(String(error)));
  world.assertNotCrashed();
  run.say(`${atRest.size} of ${works.size} issues are at rest`);
  const all = [...works.keys()];
  const issues = await Promise.all(
    all.map((identifier) => world.ask((client) => client.issue(identifier))),
  );
  const moved = issues.flatMap(({ attempts }) => attempts.filter((one) => one.failedOverFrom));
  if (run.failover === true) run.say(`${moved.length} attempts went on for another account`);
  return issues;
}

async function judge(
  world: ChaosWorld,
  given: { works: Map<string, number>; issues: IssueDetail[] },
) {
  const { client, record, repository } = world;
  const unfinished = given.issues.flatMap(unfinishedOf);
  const orphans = await orphansOf(world);
  await world.watch.stop();
  const overlaps = [
    ...world.watch.overlaps,
    ...sharedWorkspaces(given.issues, world.watch.sightings),
    ...interleavedDriving(world.driven),
  ];
  const completed = new Set(
    given.issues.filter(({ status }) => status === 'completed').map(({ identifier }) => identifier),
  );
  const works = new Map([...given.works].filter(([identifier]) => completed.has(identifier)));
  const acknowledged = await lostAcknowledged(record, client);
  const commits = await lostCommits({ repository, client, record, works });
  const strays = world.accounts.strays(given.issues, given.works);
  const named = {
    lost: acknowledged,
    overlap: overlaps,
    orphan: orphans,
    commit: commits,
    unfinished,
    stray: strays,
  };
  const problems = Object.entries(named).flatMap(([name, lines]) =>
    lines.map((line) => `${name}: ${line}`),
  );
  const counts = {
    lostAcknowledgedEvents: acknowledged.length,
    overlaps: overlaps.length,
    orphans: orphans.length,
    lostCommits: commits.length,
    unfinished: unfinished.length,
    strays: strays.length,
  };
  return { counts, problems };
}

function unfinishedOf({ identifier, status, reason, attempts }: IssueDetail): string[] {
  const open = attempts.filter(({ outcome }) => outcome === null);
  const lines = open.map(({ attemptId, status: now }) => `${attemptId} of ${identifier} is ${now}`);
  return status === 'completed' ? lines : [`${identifier} is ${status}: ${reason ?? ''}`, ...lines];
}

/** Processes and containers of attempts that are still there when nothing should be. */
async function orphansOf({ runnerIds, traces }: ChaosWorld): Promise<string[]> {
  const look = async () => (await traces(runnerIds)).map(({ lease, words }) => `${lease} ${words}`);
  const wait = { what: 'no orphans', timeoutMs: ORPHAN_TIMEOUT_MS };
  return until(look, (left) => left.length === 0, wait).catch(look);
}
