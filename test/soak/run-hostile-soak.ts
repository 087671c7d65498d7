import { randomBytes } from 'node:crypto';
import { EventFollower } from './event-follower.ts';
import { SoakClient, Tally } from './soak-client.ts';
import { startSoakWorld } from './soak-world.ts';
import { type HostileReport, startHostileClients } from './start-hostile-clients.ts';
import { SteadyWork } from './steady-work.ts';
import { useApi } from './usual-client.ts';
import { type WatchReport, watchService } from './watch-service.ts';

const MAX_EXTRA_MIB = 100;
/** What a line through the second half may rise by. */
const MAX_GROWTH_MIB = 20;
const MAX_HEALTH_MS = 250;
/** Shorter runs are too noisy for a slope and a percentile. */
const JUDGED_IN_FULL_S = 120;

export type HostileSoakResult = {
  seconds: number;
  alone: WatchReport;
  beside: WatchReport;
  extraPeakMib: number;
  hostile: HostileReport;
  problems: string[];
};

type Hooks = { say: (line: string) => void; started: (close: () => Promise<void>) => void };

/** The same usual work twice, the second time beside hostile clients; says what they cost. */
export async function runHostileSoak(
  { seconds }: { seconds: number },
  hooks: Hooks,
): Promise<HostileSoakResult> {
  hooks.say(`usual work alone for ${seconds} s …`);
  const alone = await run({ seconds, besideHostile: false }, hooks);
  hooks.say(`usual work beside hostile clients for ${seconds} s …`);
  const beside = await run({ seconds, besideHostile: true }, hooks);
  const extraPeakMib = beside.watch.peakMib - alone.watch.peakMib;
  const problems = [...alone.problems, ...beside.problems];
  if (extraPeakMib > MAX_EXTRA_MIB)
    problems.push(`hostile clients cost ${Math.round(extraPeakMib)} MiB at most, not 100`);
  if (seconds >= JUDGED_IN_FULL_S) problems.push(...judge(beside.watch));
  return {
    seconds,
    alone: alone.watch,
    beside: beside.watch,
    extraPeakMib,
    hostile: beside.hostile,
    problems,
  };
}

function judge({ secondHalfGrowthMib, healthMs }: WatchReport): string[] {
  const problems: string[] = [];
  if (secondHalfGrowthMib > MAX_GROWTH_MIB)
    problems.push(`memory grew by ${Math.round(secondHalfGrowthMib)} MiB in the second half`);
  if (healthMs.p99 >= MAX_HEALTH_MS)
    problems.push(`/healthz took ${Math.round(healthMs.p99)} ms (99 %)`);
  return problems;
}

async function run(given: { seconds: number; besideHostile: boolean }, hooks: Hooks) {
  const { seconds, besideHostile } = given;
  const token = randomBytes(16).toString('hex');
  // Hostile clients come through a proxy, as its header says; the usual ones show the token.
  const world = await startSoakWorld({ SERVICE_TRUST_PROXY: '1', SERVICE_WRITE_TOKEN: token });
  hooks.started(() => world.close(false));
  try {
    const { url } = world.service;
    const tally = new Tally();
    const headers = { Authorization: `Bearer ${token}` };
    const client = (last: number) => new SoakClient(url, `127.0.0.${last}`, tally, headers);
    const route = { prefix: 'SY-', url: world.repositoryUrl };
    const added = await client(12).send('POST', '/api/v1/setup/repo-route', { body: route });
    if (added.status !== 201) throw new Error(`the route was refused: ${added.text}`);
    const work = new SteadyWork(client(10), tally);
    const hostile = besideHostile ? startHostileClients(url) : null;
    const signal = AbortSignal.timeout(seconds * 1_000);
    const known = () => work.known;
    const [watch] = await Promise.all([
      watchService(world.service, client(13), signal),
      work.run(signal),
      new EventFollower(url, '127.0.0.11', tally).follow(signal),
      useApi({ client: client(14), tally, name: 'c14', known }, signal),
    ]);
    const report = (await hostile?.stop()) ?? {};
    if (besideHostile) tally.problems.push(...unplayed(report));
    return { watch, hostile: report, problems: tally.problems };
  } finally {
    await world.close(false);
  }
}

/** Kinds of client that never got as far as a connection: then nothing was shown. */
function unplayed(report: HostileReport): string[] {
  const kinds = Object.entries(report);
  if (kinds.length === 0) return ['no hostile client did anything'];
  return kinds
    .filter(([, seen]) => Object.keys(seen).length === 0)
    .map(([kind]) => `no client of the kind "${kind}" came to an end`);
}
