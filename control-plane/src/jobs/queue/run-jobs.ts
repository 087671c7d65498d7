import { cutText } from '@switchyard/shared/text/cut-text';
import { and, asc, eq, lt, lte, ne, not, sql } from 'drizzle-orm';
import type { Statement } from '../../db/database.ts';
import { type JobRow, jobs } from '../../db/schema/operation/jobs.ts';
import type { Deps } from '../../deps.ts';
import { errorMessage, logMessage } from '../../error-message.ts';
import { retryAtMs, retryDelayMs } from './retry-delay-ms.ts';
import { TIMER } from './set-timer.ts';

/** Tries after which a job is dead and needs a person. */
export const MAX_TRIES = 8;
const JOBS_PER_RUN = 50;
const MAX_ERROR_CHARACTERS = 2_000;
const WAIT_MS = 30_000;
const MAX_WAIT_MS = 86_400_000;

/** A job's work that continues in the background, so that a slow job delays only its own queue. */
export type Begun = {
  end: Promise<readonly Statement[]>;
  /** How long the job is claimed, milliseconds; nobody else runs it meanwhile. */
  withinMs: number;
  /** Whether a stopping service does not wait for the end. */
  isLong?: boolean;
};

/** How jobs of one kind are run. */
export type JobHandler = {
  /**
   * Runs one job; idempotent. The returned statements are stored together with its end. An error
   * causes a retry, not before its `retryAtMs`; a `JobRefused` ends the job at once.
   */
  run: (job: JobRow) => Promise<readonly Statement[] | Begun>;
  /**
   * Called before a job is given up after its own failure, so that work waiting for it can
   * continue; not for jobs that become too old in their queue.
   */
  givenUp?: (job: JobRow, end: { message: string; isRefused: boolean }) => Promise<void>;
  /** Age after which a failure in its queue ends a job, because its result would be useless. */
  maxAgeMs?: number;
};

type JobDeps = Pick<Deps, 'db' | 'clock' | 'logger' | 'background' | 'wake'>;
type Worker = {
  handlerOf: (kind: string) => JobHandler;
  /** Checked before each job: an instance that was suspended may no longer lead. */
  mayGoOn: () => Promise<boolean>;
};

type FailureOptions = { retryAtMs?: number; statements?: readonly Statement[] };

/** A handler's error with statements to store together with the failure. */
export class JobFailed extends Error {
  readonly retryAtMs: number;
  readonly statements: readonly Statement[];

  constructor(message: string, { retryAtMs = 0, statements = [] }: FailureOptions = {}) {
    super(message);
    this.name = new.target.name;
    this.retryAtMs = retryAtMs;
    this.statements = statements;
  }
}

/** The job could not be tried yet; this does not count as a try, for at most a day. */
export class JobWaits extends JobFailed {}

/** A retry is useless, for example because the target was deleted. */
export class JobRefused extends JobFailed {}

/** Pending jobs that are the first of their queue or belong to none. */
export const isNext = and(
  eq(jobs.status, 'pending'),
  not(sql`exists (select 1 from jobs earlier where earlier.queue = ${jobs.queue}
    and earlier.status = 'pending'
    and (earlier.created_at_ms, earlier.key) < (${jobs.created_at_ms}, ${jobs.key}))`),
);

/**
 * Runs or starts the jobs that are due, oldest first. Running it twice is safe, since handlers are
 * idempotent.
 */
export async function runJobs(deps: JobDeps, worker: Worker): Promise<number> {
  const due = await deps.db
    .select()
    .from(jobs)
    .where(and(isNext, lte(jobs.due_at_ms, deps.clock.nowMs()), ne(jobs.kind, TIMER)))
    .orderBy(asc(jobs.created_at_ms), asc(jobs.key))
    .limit(JOBS_PER_RUN);
  let done = 0;
  for (const job of due) {
    if (!(await worker.mayGoOn())) break;
    await runJob(deps, worker.handlerOf(job.kind), job);
    done += 1;
  }
  return done;
}

/**
 * Condition that a job is unchanged: a newer request under the same key has another revision and
 * stays pending.
 */
function isSame({ key, revision }: JobRow) {
  return and(eq(jobs.key, key), eq(jobs.revision, revision), eq(jobs.status, 'pending'));
}

async function runJob(deps: JobDeps, handler: JobHandler, job: JobRow): Promise<void> {
  try {
    const result = await handler.run(job);
    if ('end' in result) await goOn(deps, handler, job, result);
    else await recordEnd(deps, job, result);
  } catch (error) {
    await recordFailure(deps, handler, job, error);
  }
}

/** Claims a job that runs in the background and records its end later. */
async function goOn(
  { db, clock, ...deps }: JobDeps,
  handler: JobHandler,
  job: JobRow,
  { end, withinMs, isLong }: Begun,
): Promise<void> {
  const settled = Promise.allSettled([end]);
  const claim = { due_at_ms: clock.nowMs() + withinMs };
  await db.update(jobs).set(claim).where(isSame(job));
  const record = async () => {
    await runJob({ db, clock, ...deps }, { ...handler, run: () => end }, job);
    deps.wake();
  };
  const begin = () => deps.background.run(job.kind, record);
  if (isLong === true) void settled.then(begin);
  else begin();
}

async function recordEnd(
  { db, clock }: JobDeps,
  job: JobRow,
  statements: readonly Statement[],
): Promise<void> {
  const done = { status: 'done' as const, done_at_ms: clock.nowMs(), last_error: null };
  await db.batch([db.update(jobs).set(done).where(isSame(job)), ...statements]);
}

async function recordFailure(
  deps: JobDeps,
  handler: JobHandler,
  job: JobRow,
  error: unknown,
): Promise<void> {
  const { db, clock, logger } = deps;
  const { key, kind, queue } = job;
  const message = errorMessage(error);
  const nowMs = clock.nowMs();
  const waits = error instanceof JobWaits && nowMs - job.created_at_ms < MAX_WAIT_MS;
  const tries = waits ? job.tries : job.tries + 1;
  const isRefused = error instanceof JobRefused;
  const dead = isRefused || tries >= MAX_TRIES;
  logger.warn('a job failed', { key, kind, tries, dead, error: logMessage(error) });
  if (dead) await handler.givenUp?.(job, { message, isRefused });
  const delayMs = waits ? WAIT_MS : retryDelayMs(tries);
  const dueAtMs = Math.max(nowMs + delayMs, retryAtMs(error));
  const failed = db
    .update(jobs)
    .set({
      status: dead ? 'dead' : 'pending',
      tries,
      last_error: cutText(message, MAX_ERROR_CHARACTERS),
      due_at_ms: dueAtMs,
    })
    .where(isSame(job));
  await db.batch([
    failed,
    ...(queue === null || isRefused ? [] : delayQueue(deps, handler, { queue, message, dueAtMs })),
    ...(error instanceof JobFailed ? error.statements : []),
  ]);
}

/**
 * Delays the whole queue after a failure, also if the job is given up; jobs that are too old become
 * dead.
 */
function delayQueue(
  { db, clock }: JobDeps,
  { maxAgeMs }: JobHandler,
  { queue, message, dueAtMs }: { queue: string; message: string; dueAtMs: number },
): Statement[] {
  const nowMs = clock.nowMs();
  const isWaiting = and(eq(jobs.queue, queue), eq(jobs.status, 'pending'));
  const isOld = lt(jobs.created_at_ms, nowMs - (maxAgeMs ?? nowMs));
  const old = { status: 'dead' as const, last_error: `too old by now; ${message}` };
  return [
    db.update(jobs).set(old).where(and(isWaiting, isOld)),
    db
      .update(jobs)
      .set({ due_at_ms: dueAtMs })
      .where(and(isWaiting, lt(jobs.due_at_ms, dueAtMs))),
  ];
}
