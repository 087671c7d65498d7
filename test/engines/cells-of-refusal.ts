import { DONE, type ReadyScript } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { exec, say, type Step } from '../../control-plane/scripted-provider/step.ts';
import { hang, refusal } from '../support/scripted-model/faults.ts';
import { type Cell, END_LIMIT_MS, must } from './cell.ts';
import type { EngineWorld } from './engine-world.ts';

/** Longer than any engine waits by itself here, so that who ends it is the product. */
const RESET_IN_MS = 7_200_000;

type Expected = {
  title: string;
  answer: () => Step;
  failureKind: string;
  /** Whether the attempt knows when the account may be asked again. */
  resetAtMs?: () => number;
};

/** The provider refuses once the agent has begun; afterwards the issue goes on. */
async function refused(world: EngineWorld, expected: Expected): Promise<string> {
  const { bench, plan } = world;
  const { client } = bench;
  let isOver = false;
  const script: ReadyScript = ({ stepIndex }) => {
    if (stepIndex === 0) return exec('echo begun > begun.txt');
    return isOver ? say(`Done after all.\n\n${DONE}`) : expected.answer();
  };
  plan(expected.title, script);
  const { identifier } = await client.createIssue({ title: expected.title });
  const { attemptId } = await client.commandRunning(identifier, END_LIMIT_MS);
  const startedMs = performance.now();
  const issue = await client.issueUntil(
    identifier,
    ({ attempts }) => attempts.some((one) => one.attemptId === attemptId && one.outcome !== null),
    'ends its first attempt',
    END_LIMIT_MS,
  );
  const tookMs = Math.round(performance.now() - startedMs);
  const first = issue.attempts.find((one) => one.attemptId === attemptId);
  must(first?.failureKind === expected.failureKind, `it ends as ${expected.failureKind}`, first);
  const resetAtMs = expected.resetAtMs?.();
  if (resetAtMs !== undefined) {
    const retryAtMs = Date.parse(issue.nextRetryAt ?? '');
    must(Math.abs(retryAtMs - resetAtMs) < 2_000, 'it waits for the reset', issue.nextRetryAt);
  }
  isOver = true;
  await client.ask('POST', `/api/v1/${identifier}/abort`);
  return `typed after ${(tookMs / 1_000).toFixed(1)} s`;
}

const unauthorized = (world: EngineWorld) =>
  refused(world, {
    title: 'cell:401',
    answer: () => refusal('unauthorized'),
    failureKind: 'auth_failed',
  });

function usedUp(world: EngineWorld): Promise<string> {
  const resetAtMs = Math.ceil(Date.now() / 1_000) * 1_000 + RESET_IN_MS;
  return refused(world, {
    title: 'cell:429',
    answer: () => refusal('quota', { resetAtMs }),
    failureKind: 'usage_limited',
    resetAtMs: () => resetAtMs,
  });
}

const broken = (world: EngineWorld) =>
  refused(world, {
    title: 'cell:500',
    answer: () => refusal('server_error'),
    failureKind: 'provider_unreachable',
  });

const silent = (world: EngineWorld) =>
  refused(world, {
    title: 'cell:silent',
    answer: () => hang(),
    failureKind: 'provider_unreachable',
  });

/** The conversation no longer fits: a new thread begins and finishes the work. */
async function overflow({ bench, plan }: EngineWorld): Promise<string> {
  const { client } = bench;
  let refusals = 0;
  plan('cell:overflow', ({ stepIndex, toolNames }) => {
    // An engine that shortens its conversation itself asks for a summary, and offers no tools.
    if (toolNames.length === 0) return say('Work on long.txt was begun.');
    if (stepIndex === 0) return exec('echo long >> long.txt');
    if (refusals > 0) return say(`It fits now.\n\n${DONE}`);
    refusals += 1;
    return refusal('context');
  });
  const { identifier } = await client.createIssue({ title: 'cell:overflow' });
  const issue = await client.settled(identifier, END_LIMIT_MS);
  must(issue.status === 'completed', 'the issue is completed', [issue.status, issue.reason]);
  must(refusals === 1, 'the provider refused once', refusals);
  must(issue.attempts.length === 1, 'in the same attempt', issue.attempts);
  return 'finished in the same attempt';
}

export const CELLS_OF_REFUSAL: readonly Cell[] = [
  { name: '401', show: unauthorized, alone: true },
  { name: '429 with reset', show: usedUp, alone: true },
  { name: '500', show: broken, alone: true },
  { name: 'silent provider', show: silent, alone: true },
  { name: 'context overflow', show: overflow },
];
