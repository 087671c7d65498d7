import { cutText } from '@switchyard/shared/text/cut-text';
import { and, asc, eq, lt, lte, ne, not, sql } from 'drizzle-orm';
import type { Statement } from '../../db/database.ts';
import { type JobRow, jobs } from '../../db/schema/operation/jobs.ts';
import type { Deps } from '../../deps.ts';
import { errorMessage, logMessage } from '../../error-message.ts';
import { retryAtMs, retryDelayMs } from './retry-delay-ms.ts';
import { TIMER } from './set-timer.ts';

/** Tries after which a job is dead and a person has to look. */
export const MAX_TRIES = 8;
const JOBS_PER_RUN = 50;
const MAX_ERROR_CHARACTERS = 2_000;
const WAIT_MS = 30_000;
const MAX_WAIT_MS = 86_400_000;

/** What goes on beside the coordinator, so that one that hangs delays only its own queue. */
export type Begun = {
  end: Promise<readonly Statement[]>;
  /** The claim: for so long the job is nobody else's. */
  withinMs: number;
  /** A service that stops does not wait for the end. */
  isLong?: boolean;
};

/** How the jobs of a kind are done. */
export type JobHandler = {
  /**
   * Does one; idempotent. The statements are stored together with its end. Throws to have it tried
   * again, not before the error's `retryAtMs`; a `JobRefused` ends it at once.
   */
  run: (job: JobRow) => Promise<readonly Statement[] | Begun>;
  /** Called before a job is given up, so that whoever waits for it can go on. */
  givenUp?: (job: JobRow, end: { message: string; isRefused: boolean }) => Promise<void>;
  /** Age after which a failure of its queue ends a job: it is of no use to anybody any more. */
  maxAgeMs?: number;
};

type JobDeps = Pick<Deps, 'db' | 'clock' | 'logger' | 'background' | 'wake'>;
type Worker = {
  handlerOf: (kind: string) => JobHandler;
  /** Asked before each job: an instance that was asleep must not go on where it was. */
  mayGoOn: () => Promise<boolean>;
};

type FailureOptions = { retryAtMs?: number; statements?: readonly Statement[] };

/** What a handler throws that has something stored with the failure. */
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

/** Nothing could be tried yet: that counts as no try, for a day. */
export class JobWaits extends JobFailed {}

/** Trying again is useless, for example because the target is gone. */
export class JobRefused extends JobFailed {}

/** What waits and is the first of its queue, or of none. */
export const isNext = and(
  eq(jobs.status, 'pending'),
  not(sql`exists (select 1 from jobs earlier where earlier.queue = ${jobs.queue}
    and earlier.status = 'pending'
    and (earlier.created_at_ms, earlier.key) < (${jobs.created_at_ms}, ${jobs.key}))`),
);

/** Does or begins the jobs that are due, oldest first. Safe to run twice: handlers are idempotent. */
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

/** As it was read: a newer wish under the same key (another revision) stays pending. */
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

/** Claims a job that has begun, and records its end when it comes. */
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

/** The whole queue waits, also when its first job is given up; what is too old goes. */
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
