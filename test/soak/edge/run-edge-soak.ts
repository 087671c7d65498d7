import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '@libsql/client';
import { PLATFORM_SETTINGS } from '../../contracts/describe-platform.ts';
import { until } from '../../support/e2e/until.ts';
import { type Sqld, startSqld } from '../../support/sqld/start-sqld.ts';
import { type EdgeDev, startEdgeDev } from '../../support/workerd/edge-dev.ts';
import { percentile } from '../../bench/percentile.ts';
import { Tally } from '../soak-client.ts';
import { wait } from '../wait.ts';
import { click, type ClickBook, deliver, fileIssues } from './edge-clicks.ts';
import { type RunnerBook, SoakRunner } from './soak-runner.ts';

const RUNNERS = 16;
const CLICKERS = 2;
const OPEN_ISSUES = RUNNERS + 8;
const MINUTE_MS = 60_000;
const POOLS = '2';
const SAY_EVERY_MS = 30_000;
const SETTLE_TIMEOUT_MS = 180_000;
/** From the server's restart to the first write that is stored. */
const MAX_BACK_MS = 60_000;
/** A server that does not come back by itself is silent until the end. */
const MAX_SILENCE_MS = 60_000;
const SECRET = 'edge-soak-secret';

export type EdgeSoakResult = {
  minutes: number;
  runners: number;
  requests: number;
  byStatus: Record<string, number>;
  events: { acknowledged: number; stored: number; ackP50Ms: number; ackP99Ms: number };
  attempts: { begun: number; ended: number };
  clicks: { issues: number; comments: number; deliveries: number; refused: number };
  reconnects: number;
  fenced: number;
  /** After each restart of the libSQL server: until a write was stored. */
  backMs: number[];
  longestSilenceMs: number;
  runtimeMib: { begin: number; end: number };
  problems: string[];
};

type Hooks = { say: (line: string) => void; started: (close: () => Promise<void>) => void };

/**
 * The Worker in workerd under the load of scripted runners, people and senders, while its libSQL server
 * is killed and started again twice. In the end the rows say what became of all that was acknowledged.
 */
export async function runEdgeSoak(run: { minutes: number }, hooks: Hooks): Promise<EdgeSoakResult> {
  const folder = await mkdtemp(join(tmpdir(), 'swy-edge-soak-'));
  const sqld = await startSqld();
  let edge: EdgeDev | null = null;
  const close = async () => {
    await edge?.kill();
    await sqld.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  hooks.started(close);
  try {
    edge = await startEdgeDev({
      dataDir: folder,
      args: ['--database', sqld.url, '--no-runner', '--pools', POOLS],
      env: {
        ...PLATFORM_SETTINGS,
        SERVICE_DATABASE_TOKEN: sqld.token,
        SERVICE_CONFIG__webhook__codehostSecret: SECRET,
        SERVICE_CONFIG__limits__webhooksPerMinute: '1000000',
        SERVICE_CONFIG__agent__maxConcurrentAgents: '64',
      },
    });
    return await soak({ edge, sqld, minutes: run.minutes }, hooks.say);
  } finally {
    await close();
  }
}

async function soak(
  { edge, sqld, minutes }: { edge: EdgeDev; sqld: Sqld; minutes: number },
  say: (line: string) => void,
): Promise<EdgeSoakResult> {
  const tally = new Tally();
  const book: RunnerBook = {
    acknowledged: new Map(),
    finished: new Set(),
    ackMs: [],
    lastAckAtMs: performance.now(),
    longestSilenceMs: 0,
    reconnects: 0,
    fenced: 0,
  };
  const clicks: ClickBook = {
    issues: new Set(),
    comments: new Set(),
    deliveries: new Set(),
    refused: 0,
  };
  const { client } = edge;
  const runners = [];
  for (let index = 0; index < RUNNERS; index += 1)
    runners.push(await SoakRunner.join(client, `soak-${index}`, book));
  const begin = await edge.runtimeBytes();
  const signal = AbortSignal.timeout(minutes * MINUTE_MS);
  const given = { client, tally, book: clicks, signal };
  say(`${RUNNERS} runners, people and senders on ${edge.url} for ${minutes} minutes …`);
  book.lastAckAtMs = performance.now();
  const [backMs] = await Promise.all([
    restartTwice({ edge, sqld, minutes, signal }, tally, say),
    fileIssues(given, { maxOpen: OPEN_ISSUES, ended: () => book.finished.size }),
    deliver(given, SECRET),
    ...Array.from({ length: CLICKERS }, () => click(given)),
    ...runners.map((runner) => runner.run(signal)),
    sayNowAndThen(say, signal, book, tally),
  ]);
  const rows = createClient({ url: sqld.url, authToken: sqld.token });
  try {
    const stored = await judge(rows, book, clicks, tally);
    if (book.longestSilenceMs > MAX_SILENCE_MS)
      tally.problem(`no event was acknowledged for ${Math.round(book.longestSilenceMs)} ms`);
    return {
      minutes,
      runners: RUNNERS,
      requests: tally.requests,
      byStatus: tally.byStatus,
      events: {
        acknowledged: [...book.acknowledged.values()].reduce((sum, each) => sum + each, 0),
        stored,
        ackP50Ms: percentile(book.ackMs, 0.5),
        ackP99Ms: percentile(book.ackMs, 0.99),
      },
      attempts: { begun: book.acknowledged.size, ended: book.finished.size },
      clicks: {
        issues: clicks.issues.size,
        comments: clicks.comments.size,
        deliveries: clicks.deliveries.size,
        refused: clicks.refused,
      },
      reconnects: book.reconnects,
      fenced: book.fenced,
      backMs,
      longestSilenceMs: book.longestSilenceMs,
      runtimeMib: { begin: begin / 2 ** 20, end: (await edge.runtimeBytes()) / 2 ** 20 },
      problems: tally.problems,
    };
  } finally {
    rows.close();
  }
}

/** Kills the server after a third and two thirds of the time; how long until it stored again. */
async function restartTwice(
  given: { edge: EdgeDev; sqld: Sqld; minutes: number; signal: AbortSignal },
  tally: Tally,
  say: (line: string) => void,
): Promise<number[]> {
  const took: number[] = [];
  for (let restart = 1; restart <= 2; restart += 1) {
    await wait((given.minutes * MINUTE_MS) / 3, given.signal);
    const beganMs = performance.now();
    await given.sqld.restart();
    const title = `after restart ${restart}`;
    const isStored = async () => {
      const body = { title, state: 'Backlog' };
      const path = '/api/v1/local/issues';
      return (await given.edge.client.ask('POST', path, body).catch(() => null))?.status === 201;
    };
    const what = `a write that is stored ${title} of the libSQL server`;
    await until(isStored, Boolean, { what, timeoutMs: MAX_BACK_MS }).catch((error: unknown) =>
      tally.problem(String(error)),
    );
    took.push(performance.now() - beganMs);
    say(`  the libSQL server was restarted; stored again after ${Math.round(took.at(-1) ?? 0)} ms`);
  }
  return took;
}

/** What the rows do not bear out of all that was acknowledged; how many events are stored. */
async function judge(
  rows: Client,
  book: RunnerBook,
  clicks: ClickBook,
  tally: Tally,
): Promise<number> {
  const read = async (query: string) => (await rows.execute(query)).rows;
  const unprocessed = `select count(*) from webhook_deliveries where status = 'pending'`;
  await until(
    async () => Number((await read(unprocessed))[0]?.[0]),
    (left) => left === 0,
    {
      what: 'every delivery processed',
      timeoutMs: SETTLE_TIMEOUT_MS,
    },
  ).catch((error: unknown) => tally.problem(String(error)));
  const deliveries = await read('select delivery_id, status from webhook_deliveries');
  const status = new Map(deliveries.map((row) => [textOf(row[0]), textOf(row[1])]));
  lost(tally, 'delivery', clicks.deliveries, (id) => (status.get(id) ?? 'dead') !== 'dead');
  const titles = await read('select identifier from issues');
  const issues = new Set(titles.map((row) => textOf(row[0])));
  lost(tally, 'issue', clicks.issues, (id) => issues.has(id));
  const bodies = new Set(
    (await read('select body from local_comments')).map((row) => textOf(row[0])),
  );
  lost(tally, 'comment', clicks.comments, (body) => bodies.has(body));
  const chunks = await read(
    `select attempt_id, sum(json_array_length(items)), max(from_runner_seq + json_array_length(items) - 1)
      from event_chunks where from_runner_seq is not null group by attempt_id`,
  );
  const stored = new Map(chunks.map((row) => [textOf(row[0]), [Number(row[1]), Number(row[2])]]));
  for (const [attempt, upto] of book.acknowledged) {
    const [count = 0, last = 0] = stored.get(attempt) ?? [];
    if (last < upto || count !== last)
      tally.problem(`${attempt}: ${upto} events acknowledged, ${count} stored up to ${last}`);
  }
  const ended = await read(
    `select attempt_id from attempts where status not in ('queued', 'running')`,
  );
  const ends = new Set(ended.map((row) => textOf(row[0])));
  lost(tally, 'end of attempt', book.finished, (id) => ends.has(id));
  return [...stored.values()].reduce((sum, [count = 0]) => sum + count, 0);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function lost(
  tally: Tally,
  what: string,
  acknowledged: ReadonlySet<string>,
  isThere: (id: string) => boolean,
): void {
  for (const id of acknowledged) if (!isThere(id)) tally.problem(`${what} ${id} is lost`);
}

async function sayNowAndThen(
  say: (line: string) => void,
  signal: AbortSignal,
  book: RunnerBook,
  tally: Tally,
): Promise<void> {
  while (!signal.aborted) {
    await wait(SAY_EVERY_MS, signal);
    say(
      `  ${book.ackMs.length} frames, ${book.finished.size} attempts, ${tally.requests} requests, ` +
        `${book.reconnects} reconnects, ${tally.problems.length} problems`,
    );
  }
}
