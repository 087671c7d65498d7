import { setTimeout as delay } from 'node:timers/promises';
import { fuzzService, type FuzzReport } from '../fuzz/fuzz-service.ts';
import { residentBytes } from '../support/e2e/resident-bytes.ts';
import { until } from '../support/e2e/until.ts';
import { EventFollower } from './event-follower.ts';
import { exceedLimit, type LimitReport } from './exceed-limit.ts';
import { type MemoryReport, watchMemory } from './memory-samples.ts';
import { SoakClient, Tally } from './soak-client.ts';
import { type SoakWorld, startSoakWorld } from './soak-world.ts';
import { SteadyWork, type WorkReport } from './steady-work.ts';
import { useApi } from './usual-client.ts';

const MINUTE_MS = 60_000;
/** What the second half may need beyond the first; a leak per request is far more. */
const MAX_GROWTH = 1.25;
const SETTLE_TIMEOUT_MS = 180_000;
const SAY_EVERY_MS = 30_000;
/** Names that requests of the rubbish kind find something under. */
const KNOWN = ['SY-1', 'SY-2', 'agent.maxTurns', 'default'];
/** They would stop the agents and change what the other clients are to be held against. */
const DISTURBING =
  /^\/api\/v1\/(pause|config\/overlay|setup|runners\/\{|master-key|engine\/account|tokens)/;
const RUBBISH = { atATime: 4, pauseMs: 150 };

export type SoakOptions = { minutes: number; fuzz: number; seed: number; keep: boolean };
export type SoakResult = {
  minutes: number;
  seed: number;
  requests: number;
  byStatus: Record<string, number>;
  events: { seen: number; reconnects: number };
  work: WorkReport;
  limit: LimitReport;
  rubbish: Pick<FuzzReport, 'sent' | 'byStatus'>;
  memory: MemoryReport;
  fuzz: Pick<FuzzReport, 'sent' | 'byStatus'> & { memoryRatio: number };
  problems: string[];
};

type Say = (line: string) => void;

/** Mixed load on a real service and then nothing but rubbish; the result says what went wrong. */
export async function runSoak(
  options: SoakOptions,
  hooks: { say: Say; started: (close: () => Promise<void>) => void },
): Promise<SoakResult> {
  const world = await startSoakWorld();
  hooks.started(() => world.close(options.keep));
  const tally = new Tally();
  try {
    return await soak(world, tally, options, hooks.say);
  } finally {
    if (options.keep) hooks.say(`data: ${world.folder}`);
    await world.close(options.keep);
  }
}

async function soak(
  world: SoakWorld,
  tally: Tally,
  options: SoakOptions,
  say: Say,
): Promise<SoakResult> {
  const { url } = world.service;
  const client = (last: number) => new SoakClient(url, `127.0.0.${last}`, tally);
  const work = new SteadyWork(client(10), tally);
  const follower = new EventFollower(url, '127.0.0.11', tally);
  const overview = client(12);
  await addRoute(overview, world);
  const followed = new AbortController();
  const following = follower.follow(followed.signal);

  say(`mixed load on ${url} for ${options.minutes} minutes …`);
  const signal = AbortSignal.timeout(options.minutes * MINUTE_MS);
  const known = () => work.known;
  const use = (last: number) =>
    useApi({ client: client(last), tally, name: `c${last}`, known }, signal);
  const [limit, rubbish, memory] = await Promise.all([
    exceedLimit(client(13), tally, signal),
    sendRubbish(url, options.seed, signal),
    watchMemory(world.service, signal),
    work.run(signal),
    use(14),
    use(15),
    use(16),
    sayNowAndThen(say, signal, () => progress(tally, follower, work)),
  ]);
  await checkHealth({ client: overview, work, tally, say }, 'after the load');

  say(`${options.fuzz} requests of rubbish …`);
  const fuzz = await fuzzAll(world, options, say);
  await overview.send('POST', '/api/v1/resume');
  await overview.send('PUT', '/api/v1/config/overlay', { body: {} });
  await addRoute(overview, world);
  await checkHealth({ client: overview, work, tally, say }, 'after the rubbish');

  await lastEventSeen(work, follower, tally);
  followed.abort();
  await following;
  const result = {
    minutes: options.minutes,
    seed: options.seed,
    requests: tally.requests,
    byStatus: tally.byStatus,
    events: { seen: follower.lastSeq, reconnects: follower.reconnects },
    work: work.report,
    limit,
    rubbish: counts(rubbish),
    memory,
    fuzz: fuzz.report,
  };
  return { ...result, problems: [...tally.problems, ...judge(result, [rubbish, ...fuzz.runs])] };
}

/** Findings of the rubbish, memory that grew, and parts of the load that never happened. */
function judge(result: Omit<SoakResult, 'problems'>, runs: readonly FuzzReport[]): string[] {
  const { memory, fuzz, limit, work } = result;
  const findings = runs.flatMap((run) => run.findings);
  const problems = findings.map(
    ({ problem, request }) => `${request.method} ${request.target.slice(0, 200)}: ${problem}`,
  );
  const grew = (what: string, ratio: number) =>
    problems.push(`${what}: memory grew by ${Math.round((ratio - 1) * 100)} %`);
  if (memory.ratio > MAX_GROWTH) grew('mixed load', memory.ratio);
  if (fuzz.memoryRatio > MAX_GROWTH) grew('rubbish', fuzz.memoryRatio);
  if (limit.refused === 0) problems.push('the limit was never reached');
  if ((work.ended['completed'] ?? 0) === 0) problems.push('no issue was completed');
  return problems;
}

/** As much as the interface allows, from several addresses. */
async function sendRubbish(url: string, seed: number, signal: AbortSignal): Promise<FuzzReport> {
  return fuzzService({
    url,
    seed,
    signal,
    ...RUBBISH,
    count: Number.MAX_SAFE_INTEGER,
    known: KNOWN,
    leaveOut: ({ path }) => DISTURBING.test(path),
    addressOf: (index) => `127.0.1.${1 + (index % 8)}`,
  });
}

/** Two halves, so that memory can be compared. Every request has an address that the limit spares. */
async function fuzzAll(world: SoakWorld, options: SoakOptions, say: Say) {
  const count = Math.ceil(options.fuzz / 2);
  const half = async (seed: number) =>
    fuzzService({
      url: world.service.url,
      count,
      seed,
      known: KNOWN,
      addressOf: (index) => `127.1.${Math.floor(index / 200) % 250}.${1 + (index % 200)}`,
      onProgress: (sent) => say(`  ${sent} of ${count}`),
    });
  const first = await half(options.seed + 1_000_000);
  const warm = await residentBytes(world.service);
  const second = await half(options.seed + 2_000_000);
  const memoryRatio = (await residentBytes(world.service)) / warm;
  const byStatus = { ...first.byStatus };
  for (const [status, each] of Object.entries(second.byStatus)) {
    byStatus[status] = (byStatus[status] ?? 0) + each;
  }
  const report = { sent: first.sent + second.sent, byStatus, memoryRatio };
  return { runs: [first, second], report };
}

const counts = ({ sent, byStatus }: FuzzReport) => ({ sent, byStatus });

async function addRoute(client: SoakClient, world: SoakWorld): Promise<void> {
  const body = { prefix: 'SY-', url: world.repositoryUrl };
  const { status, text } = await client.send('POST', '/api/v1/setup/repo-route', { body });
  if (status !== 201) throw new Error(`the route was refused: ${status} ${text}`);
}

/** The service answers, is ready, and still gets an issue done. */
async function checkHealth(
  given: { client: SoakClient; work: SteadyWork; tally: Tally; say: Say },
  when: string,
): Promise<void> {
  const { client, work, tally, say } = given;
  for (const path of ['/healthz', '/readyz', '/api/v1/state', '/metrics']) {
    const { status } = await client.send('GET', path);
    if (status !== 200) tally.problem(`${when}: ${path} answered ${status}`);
  }
  const identifier = await work.create(`repair ${when}`);
  if (identifier === null) return;
  say(`an issue ${when} …`);
  const look = async () => {
    await delay(1_000);
    return work.status(identifier);
  };
  const options = { what: `${when}: ${identifier} is completed`, timeoutMs: SETTLE_TIMEOUT_MS };
  await until(look, (status) => status === 'completed', options).catch((error: unknown) =>
    tally.problem(String(error)),
  );
}

/** What is done last must come through the stream, and so everything before it. */
async function lastEventSeen(
  work: SteadyWork,
  follower: EventFollower,
  tally: Tally,
): Promise<void> {
  const identifier = await work.create('the last one', 'Backlog');
  if (identifier === null) return;
  const options = { what: 'the last event', timeoutMs: SETTLE_TIMEOUT_MS };
  await until(
    () => follower.saw(identifier),
    (saw) => saw,
    options,
  ).catch((error: unknown) => tally.problem(String(error)));
}

function progress(tally: Tally, follower: EventFollower, work: SteadyWork): string {
  const ended = JSON.stringify(work.report.ended);
  return `  ${tally.requests} requests, ${follower.lastSeq} events, issues ${ended}, ${tally.problems.length} problems`;
}

async function sayNowAndThen(say: Say, signal: AbortSignal, line: () => string): Promise<void> {
  while (!signal.aborted) {
    await delay(SAY_EVERY_MS, undefined, { signal }).catch(() => undefined);
    say(line());
  }
}
