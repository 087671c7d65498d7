import type { Patch } from './patched-tree.ts';
import type { BoundStatement } from '../../../control-plane/src/platform/node/database/libsql-file.ts';
import { runnerEventInsert } from './runner-event-insert.ts';
import type { Scenario, Tampering } from './world-options.ts';

/** One safety rule taken out: through what the parts are given, or in a patched copy of the sources. */
export type Mutation = {
  name: string;
  /** The rule, in words. */
  rule: string;
  tamper?: () => Tampering;
  patches?: readonly Patch[];
  /** Makes the situation in which the rule matters frequent. With the rule in place it breaks nothing. */
  scenario?: Scenario;
  /** The scenario's part in the sources, also with the rule in place: words lost, names that collide. */
  losses?: readonly Patch[];
  /** Seeds after which it counts as not caught. */
  maxSeeds: number;
};

const HANDLE_EVENTS = 'control-plane/src/runners/protocol/handle-events.ts';
const STORE_EVENTS = 'control-plane/src/runners/protocol/store-events.ts';
const DECIDE_FINISH = 'control-plane/src/runners/finish/decide-finish.ts';
const NEXT_KIND = 'control-plane/src/attempts/plans/next-kind.ts';
const PLAN_STEPS = 'control-plane/src/attempts/plans/hand-in-plan.ts';
const BUILD_SPEC = 'control-plane/src/dispatch/offer/build-spec.ts';
const ANSWER_PLAN = 'control-plane/src/issues/requests/answer-plan.ts';
const SUB_ISSUES = 'control-plane/src/issues/sub-issues';
const LOCAL_TRACKER = 'control-plane/src/integrations/local/tracker';
const MERGE_QUEUE = 'control-plane/src/pull-requests/merge-queue';
const REFUSE_MERGE = 'control-plane/src/runners/calls/refuse-merge.ts';
const ANSWER_CALL = 'control-plane/src/runners/calls/answer-call.ts';
const DISPATCH = 'from "issues" where (("issues"."status" in (';

/** Nobody gives an issue a fresh beginning. */
const UNTOUCHED = { edit: 0, comment: 0, move: 0, abort: 0, retry: 0, pause: 0, drain: 0 } as const;

/** Changes the SQL of the statements that contain `marker`. Throws when `from` is not there. */
function inStatements(marker: string, from: string, to: string): Tampering {
  const rewrite = (statement: BoundStatement): BoundStatement => {
    if (!statement.sql.includes(marker)) return statement;
    if (!statement.sql.includes(from)) throw new Error(`no ${from} in ${statement.sql}`);
    return { ...statement, sql: statement.sql.replace(from, to) };
  };
  return { rewrite };
}

/** Also takes issues of one more status for candidates. */
function alsoDispatch(status: string): Tampering {
  return inStatements(
    DISPATCH,
    '"issues"."status" in (?, ?, ?)',
    `"issues"."status" in (?, ?, ?, '${status}')`,
  );
}

/** A key that is never there already. */
function everNewOutboxKeys(): Tampering {
  let count = 0;
  const rewrite = (statement: BoundStatement): BoundStatement => {
    const { sql, args } = statement;
    if (!sql.startsWith('insert into "jobs"') || args[1] === 'timer') return statement;
    return {
      sql,
      args: args.map((arg, index) => (index === 0 ? `${String(arg)}:${(count += 1)}` : arg)),
    };
  };
  return { rewrite };
}

export const MUTATIONS: readonly Mutation[] = [
  {
    name: 'ack-after-commit',
    rule: 'events are acknowledged only after their commit',
    maxSeeds: 60,
    tamper: () => ({
      answersEarly: (statements) =>
        statements.some((statement) => runnerEventInsert(statement) !== null),
    }),
  },
  {
    name: 'contiguous-sequence',
    rule: 'a frame of events that leaves a gap is not stored',
    maxSeeds: 60,
    scenario: { faults: ['database'], clicks: UNTOUCHED },
    patches: [
      { module: HANDLE_EVENTS, from: 'message.from > row.last_seq + 1 || ', to: '' },
      { module: STORE_EVENTS, from: 'row.last_seq + fresh.length', to: '(fresh.at(-1)?.seq ?? 0)' },
    ],
  },
  {
    name: 'final-seq',
    rule: 'finish is accepted only with every event stored',
    maxSeeds: 60,
    scenario: { faults: ['database', 'partition'] },
    patches: [
      {
        module: DECIDE_FINISH,
        from: 'if (storedSeq < message.finalSeq) return',
        to: 'if (storedSeq < 0) return',
      },
      {
        module: DECIDE_FINISH,
        from: 'if (storedSeq !== message.finalSeq || digest !== message.digest) {',
        to: 'if (storedSeq < 0) {',
      },
      // The runner no longer waits for the last acknowledgement either.
      {
        module: 'runner/src/connection/socket/finish-sender.ts',
        from: ' || (!isLate && !flow.isDrained(finish))',
        to: '',
      },
    ],
  },
  {
    name: 'event-epoch',
    rule: 'events of an old epoch are refused',
    // The words must arrive before the host's next hello, which is so in one seed of about 120.
    maxSeeds: 1_200,
    // A host falls asleep with words on their way out, and they are looked at when it wakes.
    scenario: {
      faults: ['suspend'],
      behaviours: { long: 90 },
      clicks: UNTOUCHED,
      lateFrames: true,
      sleepMs: [36_000, 75_000],
    },
    patches: [
      { module: HANDLE_EVENTS, from: 'row.epoch === epoch &&', to: '' },
      {
        module: HANDLE_EVENTS,
        from: 'row.runner_id === session.runnerId &&',
        to: '',
      },
      { module: STORE_EVENTS, from: 'eq(attempts.runner_id, session.runnerId),', to: '' },
      {
        module: STORE_EVENTS,
        from: 'updateAttempt(db, row, {',
        to: 'updateAttempt(db, { ...row, epoch: attempts.epoch }, {',
      },
    ],
  },
  {
    name: 'dead-man',
    rule: 'a container whose runner is gone is killed at the deadline',
    maxSeeds: 120,
    tamper: () => ({ noDeadMan: true }),
    scenario: { faults: ['runner_crash'], behaviours: { long: 90 }, clicks: UNTOUCHED },
  },
  {
    name: 'guard-and-grace',
    rule: 'the runner stops before, and the control plane waits after, the end of a lease',
    maxSeeds: 1_200,
    tamper: () => ({ leases: { graceMs: 0 } }),
    scenario: { faults: ['partition'], behaviours: { long: 90 }, clicks: UNTOUCHED },
    patches: [
      {
        module: 'shared/src/protocol/lease-times.ts',
        from: 'return inProportion(LEASE_GUARD_MS, ttlMs);',
        to: 'return 0 * inProportion(LEASE_GUARD_MS, ttlMs);',
      },
    ],
  },
  {
    name: 'reaper',
    rule: 'containers that no lease stands for are found and removed',
    maxSeeds: 120,
    tamper: () => ({ blindReaper: true }),
  },
  {
    name: 'held-set',
    rule: 'an attempt that its runner does not list is moved',
    maxSeeds: 300,
    // The inventory is all that is left: the words that give a lease back are lost.
    tamper: () => ({ leases: { notHeldRequeueMs: 1e12 } }),
    scenario: {
      faults: ['runner_crash'],
      behaviours: { long: 60, hang: 20 },
      clicks: { ...UNTOUCHED, create: 20 },
    },
    losses: [
      {
        module: 'runner/src/connection/control-session.ts',
        from: "this.#live?.flow?.close(ref);\n    this.#live?.out.control({\n      type: 'released',",
        to: "if (ref.epoch > 0) return;\n    this.#live?.out.control({\n      type: 'released',",
      },
    ],
  },
  {
    name: 'twin',
    rule: 'a copy of a connected runner is not believed that work is gone',
    maxSeeds: 120,
    scenario: { faults: ['twin'], behaviours: { long: 90 }, clicks: UNTOUCHED },
    patches: [
      {
        module: 'control-plane/src/runners/session/begin-session.ts',
        from: 'if (!suspect || !another ||',
        to: 'if (suspect || !another ||',
      },
    ],
  },
  {
    name: 'attempt-cap',
    rule: 'at most 1 + maxContinuationAttempts attempts',
    maxSeeds: 120,
    tamper: () => ({ variables: { SERVICE_CONFIG__agent__maxContinuationAttempts: '50' } }),
  },
  {
    name: 'blocked-stays',
    rule: 'a blocked issue stays so until a person changes it',
    maxSeeds: 120,
    tamper: () => alsoDispatch('blocked'),
    scenario: { behaviours: { blocked: 40 } },
  },
  {
    name: 'done-stays',
    rule: 'a completed issue stays so until a person changes it',
    maxSeeds: 120,
    // The tracker takes the move to review late: until then the issue looks active.
    tamper: () => alsoDispatch('completed'),
    scenario: { faults: ['tracker'] },
  },
  {
    name: 'abort-stays',
    rule: 'an aborted issue stays so until a person changes it',
    maxSeeds: 120,
    tamper: () => alsoDispatch('cancelled'),
    scenario: { clicks: { abort: 12 } },
  },
  {
    name: 'due-time',
    rule: 'a retry never starts before it is due, over restarts too',
    maxSeeds: 120,
    tamper: () => inStatements(DISPATCH, '"issues"."next_retry_at_ms" <= ?', '(? is null or 1)'),
  },
  {
    name: 'budget',
    rule: 'an issue whose budget is used up is parked',
    maxSeeds: 200,
    tamper: () => ({ variables: { SERVICE_CONFIG__agent__budget__issueTokens: '1000000000' } }),
  },
  {
    name: 'provider-outage',
    rule: 'an outage of the provider uses up no attempt',
    maxSeeds: 200,
    scenario: { faults: ['provider'], clicks: UNTOUCHED },
    patches: [
      {
        module: 'control-plane/src/attempts/decide.ts',
        from: 'PROVIDER_FAILURES: ReadonlySet<FailureKind> = new Set([',
        to: 'PROVIDER_FAILURES: ReadonlySet<FailureKind> = new Set([]); export const NONE = new Set([',
      },
    ],
  },
  {
    name: 'pause',
    rule: 'nothing starts while the service is paused',
    maxSeeds: 200,
    scenario: { clicks: { pause: 2 } },
    patches: [
      {
        module: 'control-plane/src/dispatch/dispatch.ts',
        from: 'pause === null\n        ? configBlock(deps)',
        to: 'pause !== undefined\n        ? configBlock(deps)',
      },
    ],
  },
  {
    name: 'outbox-key',
    rule: 'an effect is done once, whoever asks for it again',
    maxSeeds: 400,
    tamper: everNewOutboxKeys,
  },
  {
    name: 'standby',
    rule: 'only one instance decides at a time',
    maxSeeds: 60,
    tamper: () => ({ everyoneLeads: true }),
    patches: [
      {
        module: 'control-plane/src/jobs/leadership/leads-now.ts',
        from: '(${isRenewed} and exists (select 1 from leader',
        to: '(${isRenewed} >= 0 or exists (select 1 from leader',
      },
    ],
  },
  {
    name: 'leader-date',
    rule: 'the date of the leader’s row neither unseats nor protects it',
    maxSeeds: 60,
    scenario: { clocks: true },
    patches: [
      {
        module: 'control-plane/src/jobs/leadership/create-leadership.ts',
        from: 'return seen !== null && isSame(seen, row) && atMs - seen.sinceMs >= LEADER_TTL_MS;',
        to: 'return row.until_ms <= clock.nowMs();',
      },
    ],
  },
  {
    name: 'set-clock-leases',
    rule: 'no lease ends because a clock was put forward',
    maxSeeds: 100,
    scenario: { clocks: true, faults: ['calm'] },
    patches: [
      {
        module: 'control-plane/src/jobs/leadership/record-clock.ts',
        from: 'Math.abs(jumpMs) < JUMP_MS',
        to: 'jumpMs < Number.POSITIVE_INFINITY',
      },
    ],
  },
  {
    name: 'set-clock-dates',
    rule: 'nothing waits for a date of a clock that was ahead',
    maxSeeds: 100,
    scenario: { clocks: true },
    patches: [
      {
        module: 'control-plane/src/coordinator/bound-dates.ts',
        from: 'where ${name} > ${latestMs} and ${only}`',
        to: 'where 0 and ${name} > ${latestMs} and ${only}`',
      },
    ],
  },
  {
    name: 'chain-try',
    rule: 'a failover uses up no try',
    maxSeeds: 120,
    scenario: { chain: true, clocks: false, faults: ['provider'], clicks: UNTOUCHED },
    patches: [
      {
        module: 'control-plane/src/attempts/decide.ts',
        from: 'const runCount = Math.max(0, counts.runCount - 1);',
        to: 'const { runCount } = counts;',
      },
    ],
  },
  {
    name: 'chain-reset',
    rule: 'an account is asked once per reset',
    maxSeeds: 120,
    scenario: { chain: true, clocks: false, faults: ['provider'], clicks: UNTOUCHED },
    patches: [
      {
        module: 'control-plane/src/runners/failover/as-paused.ts',
        from: 'open: row.due_at_ms <= nowMs &&',
        to: 'open: row.due_at_ms > 0 &&',
      },
      {
        module: 'control-plane/src/attempts/upstreams/pause-upstream.ts',
        from: 'sql`${upstreamPauses.due_at_ms} <= ${input.nowMs}`,',
        to: 'sql`${upstreamPauses.due_at_ms} > 0`,',
      },
    ],
  },
  {
    name: 'chain-lead',
    rule: 'a reset that was told holds whoever leads',
    maxSeeds: 120,
    scenario: {
      chain: true,
      clocks: false,
      faults: ['provider', 'plane_crash'],
      clicks: UNTOUCHED,
    },
    patches: [
      {
        module: 'control-plane/src/coordinator/bound-dates.ts',
        from: 'const noted = sql`coalesce(noted_at_ms, since_ms)`;',
        to: 'const noted = sql`due_at_ms`;',
      },
    ],
  },
  {
    name: 'chain-return',
    rule: 'work returns to the first choice after its reset',
    maxSeeds: 120,
    scenario: { chain: true, clocks: false, faults: ['provider'], clicks: UNTOUCHED },
    patches: [
      {
        module: 'control-plane/src/runners/failover/decide-engine.ts',
        from: 'if (pause !== null && !pause.open) {',
        to: 'if (pause !== null && (!pause.open || index === 0)) {',
      },
    ],
  },
  {
    name: 'chain-thread',
    rule: 'a thread stays with its engine and account',
    maxSeeds: 120,
    scenario: { chain: true, faults: ['provider'], clicks: UNTOUCHED },
    patches: [
      {
        module: 'control-plane/src/attempts/engine-choices/thread-to-resume.ts',
        from: 'return isOwn ? thread.thread_id : null;',
        to: 'return isOwn ? thread.thread_id : thread.thread_id;',
      },
      {
        module: 'control-plane/src/attempts/engine-choices/thread-to-resume.ts',
        from: 'if (engineName(thread.thread_engine) !== engineName(choice.engine)) return null;',
        to: '',
      },
    ],
  },
  {
    name: 'chain-key',
    rule: 'no attempt gets the key of another account',
    maxSeeds: 60,
    scenario: { chain: true, faults: ['provider'] },
    patches: [
      {
        module: 'control-plane/src/config/provider/provider-key.ts',
        from: 'const provider = configuredProvider(config, account);',
        to: 'const provider = configuredProvider(config, config.engine.accounts[0]?.name);',
      },
    ],
  },
  {
    name: 'chain-runner',
    rule: 'a runner is only asked for an engine that it has',
    maxSeeds: 120,
    scenario: { chain: true, faults: ['provider'] },
    patches: [
      {
        module: 'control-plane/src/dispatch/decide.ts',
        from: 'featured.filter(({ engines }) => engines.includes(entry.engine))',
        to: 'featured.filter(({ engines }) => engines.length > 0)',
      },
      {
        module: 'control-plane/src/dispatch/decide.ts',
        from: 'if (lacking !== null) return lacking;',
        to: '',
      },
    ],
  },
  {
    name: 'chain-workspace',
    rule: 'the next engine starts only when the one before has left the workspace',
    maxSeeds: 200,
    // A daemon that does not answer lets an engine live on for a while.
    scenario: { chain: true, faults: ['daemon', 'provider'], clicks: UNTOUCHED },
    patches: [
      {
        module: 'runner/src/attempt/run-attempt.ts',
        from: 'await endEngine(context, hold).catch(',
        to: 'endEngine(context, hold).catch(',
      },
    ],
  },
  {
    name: 'chain-budget',
    rule: 'the tokens of every engine count against the budget of an issue',
    maxSeeds: 200,
    tamper: () => ({ variables: { SERVICE_CONFIG__agent__budget__issueTokens: '1000000000' } }),
    scenario: {
      chain: true,
      faults: ['provider'],
      clicks: UNTOUCHED,
      behaviours: { burn: 60, no_marker: 30 },
    },
  },
  {
    name: 'delivery-alone',
    rule: 'a failed delivery starts no agent run',
    maxSeeds: 60,
    scenario: { faults: ['remote'], behaviours: { done: 90 }, clicks: UNTOUCHED },
    patches: [
      {
        module: 'control-plane/src/attempts/decide.ts',
        from: "if (isRefused || kind === 'delivery_error') {",
        to: 'if (kind === null) {',
      },
    ],
  },
  {
    name: 'kept-work',
    rule: 'an agent that was done is not started again when its runner is lost',
    maxSeeds: 120,
    scenario: { faults: ['runner_crash'], behaviours: { done: 90 }, clicks: UNTOUCHED },
    patches: [
      {
        module: 'runner/src/attempt/session/lease-reaper.ts',
        from: 'if (delivery === undefined && merged === undefined) return false;',
        to: 'if (entry !== undefined || stream === null) return false;',
      },
      {
        module: 'control-plane/src/runners/leases/reclaim-attempt.ts',
        from: 'if (work !== null) {',
        to: 'if (work === undefined) {',
      },
    ],
  },
  {
    name: 'paid-runs',
    rule: 'no agent run is paid for beyond its bound',
    maxSeeds: 120,
    // Pushes fail for long, and every failure is taken for an outage that uses up no try.
    scenario: { faults: ['remote'], behaviours: { done: 90 }, clicks: UNTOUCHED },
    patches: [
      {
        module: 'runner/src/attempt/steps/deliver-step.ts',
        from: 'const message = messageOf(error);',
        to: "throw new AttemptFailed('auth_failed', 'refused', { upstream: 'codehost' });",
      },
    ],
  },
  {
    name: 'unattended-runs',
    rule: 'no agent run is paid for beyond its bound, whatever ended those before',
    maxSeeds: 120,
    tamper: () => ({ variables: { SERVICE_CONFIG__agent__budget__unattendedRuns: '1000000000' } }),
    scenario: { faults: ['give_back'], behaviours: { hang: 90 }, clicks: UNTOUCHED },
  },
  {
    name: 'seen-moves',
    rule: 'a move counts when the tracker shows it',
    maxSeeds: 120,
    scenario: { faults: ['tracker_deaf'], behaviours: { done: 90 }, clicks: UNTOUCHED },
    patches: [
      {
        module: 'control-plane/src/ports/tracker/move-and-see.ts',
        from: 'const made = await tracker.transition(issueId, toState);',
        to: 'const made = { ...(await tracker.transition(issueId, toState)), state: toState };',
      },
    ],
  },
  {
    name: 'tracker-starts',
    rule: 'a tracker alone starts an issue three times in a day',
    maxSeeds: 120,
    scenario: { faults: ['tracker_rule'], behaviours: { done: 90 }, clicks: UNTOUCHED },
    patches: [
      {
        module: 'control-plane/src/issues/decide.ts',
        from: 'return trackerStarts >= MAX_TRACKER_STARTS;',
        to: 'return trackerStarts < 0;',
      },
    ],
  },
  {
    name: 'failed-checks',
    rule: 'work whose declared check failed is not delivered, whatever its runner says',
    maxSeeds: 60,
    scenario: { checks: { lying: 90 }, behaviours: { done: 90 }, clicks: UNTOUCHED },
    patches: [
      {
        module: DECIDE_FINISH,
        from: 'if (failedChecks.length === 0) return',
        to: 'if (failedChecks.length >= 0) return',
      },
    ],
  },
  {
    name: 'plan-approval',
    rule: 'no work begins before a person has approved its plan',
    maxSeeds: 20,
    scenario: { plans: true, clicks: UNTOUCHED },
    patches: [{ module: NEXT_KIND, from: "    mode === 'off' ||", to: '    true ||' }],
  },
  {
    name: 'plan-text',
    rule: 'work goes by the plan that was approved',
    maxSeeds: 60,
    scenario: { plans: true, clicks: UNTOUCHED },
    patches: [{ module: BUILD_SPEC, from: 'planSection(plan) + ', to: '' }],
  },
  {
    name: 'plan-moved-on',
    rule: 'a plan is decided only while its issue waits for that',
    maxSeeds: 100,
    scenario: { plans: true, clicks: { ...UNTOUCHED, retry: 6, answer: 12 } },
    patches: [
      { module: ANSWER_PLAN, from: 'if (!waitsWith(issue, request)) throw over;', to: '' },
      { module: PLAN_STEPS, from: "if (code !== 'plan_waiting' ||", to: 'if (true ||' },
    ],
  },
  {
    name: 'open-sub-issues',
    rule: 'no work begins on an issue while a sub-issue of it is open',
    maxSeeds: 20,
    scenario: { trees: true },
    patches: [
      {
        module: `${SUB_ISSUES}/decide.ts`,
        from: 'if (open.length === 0) return null;',
        to: 'if (open.length >= 0) return null;',
      },
    ],
  },
  {
    name: 'open-blockers',
    rule: 'no work begins on an issue while one that blocks it is open',
    maxSeeds: 20,
    scenario: { trees: true },
    patches: [
      {
        module: 'control-plane/src/dispatch/dispatch.ts',
        from: '.filter((blocker) => !blocker.terminal)',
        to: '.filter((blocker) => blocker.terminal && !blocker.terminal)',
      },
    ],
  },
  {
    name: 'all-sub-issues',
    rule: 'an issue ends when the last of its sub-issues has ended',
    maxSeeds: 40,
    scenario: { trees: true },
    patches: [
      {
        module: `${SUB_ISSUES}/decide.ts`,
        from: 'parts.every(({ terminal }) => terminal)',
        to: 'parts.some(({ terminal }) => terminal)',
      },
      {
        module: `${SUB_ISSUES}/queries.ts`,
        from: 'and(isWaiting, not(hasOpenPart))',
        to: 'isWaiting',
      },
    ],
  },
  {
    name: 'none-was-done',
    rule: 'an issue of which no sub-issue was done is not done',
    maxSeeds: 60,
    scenario: { trees: true, treeClicks: { cancel: 12, merge: 0 } },
    patches: [
      {
        module: `${SUB_ISSUES}/decide.ts`,
        from: 'if (done === 0) {',
        to: 'if (done < 0) {',
      },
    ],
  },
  {
    name: 'parents-end',
    rule: 'an issue whose sub-issues have all ended waits no longer',
    maxSeeds: 20,
    scenario: { trees: true },
    patches: [
      {
        module: 'control-plane/src/coordinator/create-run.ts',
        from: 'await endParents(deps);',
        to: '',
      },
    ],
  },
  {
    name: 'ended-once',
    rule: 'the same sub-issues end an issue once',
    maxSeeds: 60,
    scenario: { trees: true, treeClicks: { again: 8, merge: 8 } },
    patches: [
      {
        module: `${SUB_ISSUES}/decide.ts`,
        from: "return status === 'idle' && code === 'sub_issues_open';",
        to: "return status === 'idle' || (status === 'queued' && code !== null);",
      },
      {
        module: `${SUB_ISSUES}/queries.ts`,
        from: "const isWaiting = and(eq(issues.status, 'idle'), eq(issues.reason_code, 'sub_issues_open'));",
        to: "const isWaiting = inArray(issues.status, ['idle', 'queued']);",
      },
    ],
  },
  {
    name: 'kept-parent',
    rule: 'a change of a sub-issue leaves it with its issue',
    maxSeeds: 20,
    scenario: { trees: true },
    patches: [
      {
        module: `${LOCAL_TRACKER}/update-local-issue.ts`,
        from: '.set({ ...changes, updated_at_ms: updatedAtMs })',
        to: '.set({ parent_id: null, ...changes, updated_at_ms: updatedAtMs })',
      },
    ],
  },
  {
    name: 'tree-cycles',
    rule: 'two changes at once create no cycle',
    maxSeeds: 60,
    scenario: { trees: true, treeClicks: { cycle: 12 } },
    patches: [
      {
        module: `${LOCAL_TRACKER}/update-local-issue.ts`,
        from: 'isMoved ? not(waitsForItself(placeOf(row))) : undefined,',
        to: 'undefined,',
      },
    ],
  },
  {
    name: 'one-test-each',
    rule: 'one merge into a base branch is tested at a time',
    maxSeeds: 40,
    scenario: { merges: 'when-green' },
    patches: [{ module: `${MERGE_QUEUE}/decide.ts`, from: ' || busy.has(one.line)', to: '' }],
  },
  {
    name: 'merge-permit',
    rule: 'a merge that a person took out of the queue is not permitted',
    maxSeeds: 100,
    scenario: { merges: 'when-green', mergeClicks: { leave: 40, close: 6 } },
    patches: [
      {
        module: REFUSE_MERGE,
        from: "if (row === undefined) return 'its",
        to: "if (false) return 'its",
      },
      {
        module: REFUSE_MERGE,
        from: "return row.status === 'open'",
        to: 'return row?.status !== undefined || true',
      },
      {
        module: REFUSE_MERGE,
        from: 'if (attempt.cancel_requested_at_ms !== null)',
        to: 'if (false)',
      },
      {
        module: ANSWER_CALL,
        from: '...(isMerge ? [isNull',
        to: '...(!isMerge && isMerge ? [isNull',
      },
    ],
  },
  {
    name: 'merge-of-closed',
    rule: 'a pull request that a person closed is not merged',
    maxSeeds: 40,
    scenario: { merges: 'when-green', mergeClicks: { close: 12 } },
    patches: [
      { module: REFUSE_MERGE, from: "row.status === 'open'", to: 'row.status' },
      {
        module: ANSWER_CALL,
        from: '...(isMerge ? [isNull',
        to: '...(!isMerge && isMerge ? [isNull',
      },
    ],
  },
  {
    name: 'merge-blockers',
    rule: 'a pull request whose issue is blocked lets others pass',
    maxSeeds: 40,
    scenario: { merges: 'when-green', mergeClicks: { block: 12 } },
    patches: [
      {
        module: `${MERGE_QUEUE}/decide.ts`,
        from: 'if (blockers.length > 0) {',
        to: 'if (blockers.length < 0) {',
      },
    ],
  },
  {
    name: 'merge-recorded',
    rule: 'what a runner has merged is recorded',
    maxSeeds: 20,
    scenario: { merges: 'when-green' },
    patches: [
      {
        module: `${MERGE_QUEUE}/advance-queue.ts`,
        from: "if (test?.reason_code === 'pull_request_merged' && test.commit_sha !== null)",
        to: 'if (test !== null && test.commit_sha === undefined)',
      },
    ],
  },
  {
    name: 'merge-tries',
    rule: 'the test of a merge is no try of the work',
    maxSeeds: 20,
    scenario: { merges: 'when-green' },
    patches: [
      {
        module: 'control-plane/src/dispatch/offer/commit-offer.ts',
        from: ': { budget_from_attempts: issue.budget_from_attempts + 1 }',
        to: ': { run_count: issue.run_count + 1 }',
      },
    ],
  },
  {
    name: 'merge-runs',
    rule: 'the test of a merge is no run of an agent',
    maxSeeds: 20,
    scenario: { merges: 'when-green' },
    patches: [
      {
        module: 'control-plane/src/runners/protocol/handle-accept.ts',
        from: '...(hasAgent ? { unattended_runs:',
        to: '...(hasAgent || !hasAgent ? { unattended_runs:',
      },
    ],
  },
  {
    name: 'merge-as-asked',
    rule: 'what a person asked to merge is merged only as the person saw it',
    maxSeeds: 100,
    scenario: { merges: 'ask', mergeClicks: { enter: 20, foreign: 0, policy: 0 } },
    patches: [
      {
        module: `${MERGE_QUEUE}/decide.ts`,
        from: "return { kind: 'hold', code: 'merge_branch_moved', reason };",
        to: "return reason === '' ? { kind: 'drop' } : { kind: 'wait' };",
      },
    ],
  },
  {
    name: 'merge-ended',
    rule: 'the end of a test is the end of the merging of its issue',
    maxSeeds: 20,
    scenario: { merges: 'when-green' },
    patches: [
      {
        module: 'control-plane/src/attempts/end-attempt-steps.ts',
        from: 'return { current_attempt_id: before, merging: null, reviewing: null };',
        to: 'return { current_attempt_id: before, reviewing: null };',
      },
    ],
  },
  {
    name: 'merge-kind',
    rule: 'no agent works where a merge is to be tested',
    maxSeeds: 20,
    scenario: { merges: 'when-green' },
    patches: [
      {
        module: 'control-plane/src/attempts/kind-for-pull-request.ts',
        from: "if (merging !== null) return 'check';",
        to: '',
      },
    ],
  },
  {
    name: 'own-branch',
    rule: 'a branch of a repository belongs to one issue',
    maxSeeds: 20,
    scenario: { clicks: { create: 20 } },
    losses: [
      {
        module: 'shared/src/branch/branch-name-for.ts',
        from: 'const identifier = identifierPart(issue.identifier);',
        to: "const identifier = identifierPart('one');",
      },
    ],
    patches: [
      {
        module: 'control-plane/src/attempts/identity/branch-of-issue.ts',
        from: 'return holder === null ? branch :',
        to: 'return holder !== undefined ? branch :',
      },
    ],
  },
];

/** What is changed in the sources for a run without the mutation's rule, or with it in place. */
export function patchesOf(mutation: Mutation, { ruleInPlace = false } = {}): Patch[] {
  const { losses = [], patches = [] } = mutation;
  return ruleInPlace ? [...losses] : [...losses, ...patches];
}

/** Throws for a name that is not in the list. */
export function mutationNamed(name: string): Mutation {
  const mutation = MUTATIONS.find((one) => one.name === name);
  if (mutation === undefined)
    throw new Error(
      `no mutation ${name}; there are ${MUTATIONS.map((one) => one.name).join(', ')}`,
    );
  return mutation;
}
