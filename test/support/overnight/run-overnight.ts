import type { ProviderRequest } from '../../../control-plane/scripted-provider/provider-request.ts';
import type { Step } from '../../../control-plane/scripted-provider/step.ts';
import { type SeededRandom, seededRandom } from '../chaos/seeded-random.ts';
import { ownContainers } from '../e2e/own-containers.ts';
import { type Bench, startBench } from '../e2e/start-bench.ts';
import { until } from '../e2e/until.ts';
import { FaultsOfNight } from './faults-of-night.ts';
import { judgeEnd } from './judge-end.ts';
import { agent, FURTHER_ATTEMPTS, type Kind } from './kind.ts';
import { titleOf } from './kinds.ts';

export type OvernightRun = {
  kinds: readonly Kind[];
  seed: number;
  /** Kills of either half and of both at once, and pushes refused, while agents work; 0 for none. */
  faults: number;
  sandbox: 'process' | 'docker';
  slots: number;
  say: (line: string) => void;
  /** Given what puts everything away when the run is cut off. */
  started?: (close: () => Promise<void>) => void;
};

export type OvernightResult = {
  kinds: number;
  right: number;
  wrong: number;
  pullRequests: number;
  attempts: number;
  faults: number;
  leftRunning: number;
  durationMs: number;
  seed: number;
};

const KIND_TIMEOUT_MS = 240_000;
const STOP_TIMEOUT_MS = 60_000;
const AT_WORK: Kind = {
  name: 'at-work-when-stopped',
  script: agent('(setsid sleep 3000 &) ; sleep 3000'),
  expected: { status: 'completed', files: null },
};
const RESTING = new Set(['completed', 'failed', 'blocked', 'cancelled']);
const CONFIG = {
  'agent.maxContinuationAttempts': FURTHER_ATTEMPTS,
  'agent.maxTurns': 4,
  'agent.retryBaseMs': 300,
  'agent.requestTimeoutMs': 3_000,
  'engine.stallTimeoutMs': 25_000,
};

/**
 * A night in short: every kind of misbehaving agent is an issue of one service, with the real
 * engine, in an order that the seed decides. Answers the counts and what was wrong, in words.
 */
export async function runOvernight(
  run: OvernightRun,
): Promise<{ result: OvernightResult; problems: string[] }> {
  const startedMs = performance.now();
  const random = seededRandom(run.seed);
  const kinds = shuffled(run.kinds, random);
  const { sandbox, slots } = run;
  const bench = await startBench({
    script: byKind([...kinds, AT_WORK]),
    sandbox,
    slots,
    config: CONFIG,
  });
  run.started?.(() => bench.close());
  try {
    const faults = new FaultsOfNight(bench, random, run);
    const problems: string[] = [];
    const ends = { pullRequests: 0, attempts: 0, wrong: 0 };
    const identifiers = await fileAll(bench, kinds);
    await allRest(bench, [...identifiers.values()], faults, kinds.length);
    for (const [kind, identifier] of identifiers) {
      const { wrong, attempts, pullRequest } = await judgeEnd(bench, kind, identifier);
      ends.attempts += attempts;
      if (pullRequest) ends.pullRequests += 1;
      if (wrong.length > 0) ends.wrong += 1;
      problems.push(...wrong.map((what) => `${kind.name} (${identifier}): ${what}`));
      run.say(`${wrong.length === 0 ? 'right' : 'WRONG'}  ${kind.name}`);
    }
    await workOnEverySlot(bench, slots);
    const left = await whatIsLeft(bench);
    problems.push(...left.map((what) => `left running: ${what}`));
    const result: OvernightResult = {
      kinds: kinds.length,
      right: kinds.length - ends.wrong,
      ...ends,
      faults: faults.done,
      leftRunning: left.length,
      durationMs: Math.round(performance.now() - startedMs),
      seed: run.seed,
    };
    return { result, problems };
  } finally {
    await bench.close();
  }
}

function byKind(kinds: readonly Kind[]): (request: ProviderRequest) => Step {
  // What an engine asks by itself, as for a summary of a long thread, does not name the issue.
  const byThread = new Map<string, Kind>();
  return (request) => {
    const prompt = request.userTexts.join('\n');
    const named = kinds.find((one) => prompt.includes(titleOf(one)));
    const kind = named ?? byThread.get(request.threadId);
    if (kind === undefined) throw new Error(`a call of no kind: ${prompt.slice(-400)}`);
    byThread.set(request.threadId, kind);
    return kind.script(request);
  };
}

function shuffled(kinds: readonly Kind[], random: SeededRandom): Kind[] {
  const keyed = kinds.map((kind) => ({ kind, key: random.next() }));
  return keyed.toSorted((one, other) => one.key - other.key).map(({ kind }) => kind);
}

async function fileAll(bench: Bench, kinds: readonly Kind[]): Promise<Map<Kind, string>> {
  const filed = new Map<Kind, string>();
  for (const kind of kinds) {
    const { identifier } = await bench.client.createIssue({ title: titleOf(kind) });
    filed.set(kind, identifier);
  }
  return filed;
}

/** Waits until every issue rests and every completed one is where its delivery leaves it. */
async function allRest(
  bench: Bench,
  identifiers: readonly string[],
  faults: FaultsOfNight,
  kinds: number,
): Promise<void> {
  const waiting = new Set(identifiers);
  const look = async () => {
    await faults.perform(identifiers.length - waiting.size);
    for (const identifier of waiting) {
      const { status, reasonCode } = await bench.client.issue(identifier);
      // As a person does once the remote takes pushes again; until then it is refused once more.
      if (reasonCode === 'delivery_refused')
        await bench.client.ask('POST', `/api/v1/${identifier}/deliver`);
      else if (RESTING.has(status)) waiting.delete(identifier);
    }
    return [...waiting];
  };
  const timeoutMs = KIND_TIMEOUT_MS + kinds * 40_000;
  await until(look, (left) => left.length === 0, { what: 'every issue rests', timeoutMs });
}

/** The stop comes while every slot is taken. */
async function workOnEverySlot({ client }: Bench, slots: number): Promise<void> {
  const filed = Array.from({ length: slots }, () =>
    client.createIssue({ title: titleOf(AT_WORK) }),
  );
  for (const { identifier } of await Promise.all(filed)) {
    await client.commandRunning(identifier, KIND_TIMEOUT_MS);
  }
}

/** Stops the service politely and names processes and containers that are still there. */
async function whatIsLeft(bench: Bench): Promise<string[]> {
  const runners = await bench.client.runners();
  await bench.service.stop('SIGTERM');
  const processes = () => bench.service.processes();
  const left = await until(processes, (found) => found.length === 0, {
    what: 'no process is left',
    timeoutMs: STOP_TIMEOUT_MS,
  }).catch(processes);
  const containers = await Promise.all(
    runners.map(({ runnerId }) => ownContainers({ runnerId }).catch(() => [])),
  );
  return [
    ...left.map(({ pid, command }) => `process ${pid}: ${command.slice(0, 120)}`),
    ...containers.flat().map(({ id, state }) => `container ${id.slice(0, 12)} (${state})`),
  ];
}
