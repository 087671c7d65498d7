import { textTail } from '@switchyard/shared/text/cut-text';
import { plainLine } from '@switchyard/shared/text/plain-text';
import { messageOf } from '@switchyard/shared/message-of';
import type { EngineEvent } from '../engine/agent-engine.ts';
import { CHECK_TOOL, CheckBench, type CheckTarget } from './check-bench.ts';

/** Longest wait for the end of a turn; a large agent on a busy machine is slow. */
const TURN_TIMEOUT_MS = 90_000;
const CANCEL_TIMEOUT_MS = 15_000;
const EVENT_TIMEOUT_MS = 60_000;
/** Characters of a failed agent's last output. */
const PRINTED_CHARS = 300;

export type CheckResult = {
  name: string;
  what: string;
  status: 'ok' | 'failed' | 'not offered';
  /** What was observed, or why the check failed or did not run. */
  detail: string;
  durationMs: number;
};

type TurnEnded = Extract<EngineEvent, { kind: 'turn_ended' }>;
type ItemStarted = Extract<EngineEvent, { kind: 'item_started' }>;
type ItemEnded = Extract<EngineEvent, { kind: 'item_ended' }>;
type Check = {
  name: string;
  what: string;
  /** Whether the check applies; left out: every agent must pass it. */
  isOffered?: (target: CheckTarget) => boolean;
  /** Resolves with what was observed; throws, with a message for people, when it fails. */
  run: (bench: CheckBench, target: CheckTarget) => Promise<string>;
};

/**
 * The requirements on agents. Each check names itself to the provider in its prompt as
 * `[check:NAME]`; the provider's script defines what the model does then.
 */
const CHECKS: readonly Check[] = [
  {
    name: 'answer',
    what: 'starts and answers a prompt',
    run: async (bench) => {
      await bench.startThread();
      await bench.ask('answer');
      await completed(bench);
      expect(saidText(bench).includes('ANSWER-7391'), 'the model’s words are not in a message');
      return `version ${bench.session.engineVersion}`;
    },
  },
  {
    name: 'shell',
    what: 'runs a command in the workspace and shows it',
    run: async (bench) => {
      await bench.startThread();
      await bench.ask('shell');
      await completed(bench);
      const command = endedItems(bench).find(({ item }) => item.type === 'command')?.item;
      expect(command?.type === 'command', 'no command was shown');
      const output = command?.type === 'command' ? (command.output ?? '') : '';
      expect(output.includes('CHECKED-42'), `the output of the command is not shown: ${output}`);
      return 'command and output are shown';
    },
  },
  {
    name: 'tool',
    what: 'calls a tool of ours, once',
    run: async (bench) => {
      await bench.startThread();
      await bench.ask('tool');
      await completed(bench);
      const names = bench.calls.map(({ tool }) => tool);
      const isOnce = names.length === 1 && names[0] === CHECK_TOOL.name;
      expect(isOnce, `calls that arrived: ${names.join(', ') || 'none'}`);
      expect(saidText(bench).includes('It rains.'), 'the answer did not reach the model');
      return 'called and answered';
    },
  },
  {
    name: 'cancel',
    what: 'ends a turn when told to',
    run: async (bench) => {
      await bench.startThread();
      await bench.ask('cancel');
      await bench.events.until('beginning of the turn', isTurnStarted, EVENT_TIMEOUT_MS);
      const beganMs = performance.now();
      await bench.session.interrupt();
      const { status } = await bench.events.until(
        'end of the turn',
        isTurnEnded,
        CANCEL_TIMEOUT_MS,
      );
      expect(status === 'interrupted', `the turn ended as ${status}`);
      return `within ${Math.round(performance.now() - beganMs)} ms`;
    },
  },
  {
    name: 'words',
    what: 'treats words during a turn as it says',
    run: async (bench, { engine }) => {
      await bench.startThread();
      await bench.ask('words');
      await commandStarted(bench);
      const outcome = await bench.session.steer({
        text: 'A word in between.',
        clientMessageId: 'word',
      });
      const wanted = engine.capabilities.steering === 'joins' ? 'joined' : 'queued';
      expect(outcome === wanted, `the words are ${outcome}, and it says that they are ${wanted}`);
      await completed(bench);
      return outcome;
    },
  },
  {
    name: 'adopt',
    what: 'goes on when the runner restarts in a turn',
    run: async (bench) => {
      const threadId = await bench.startThread();
      await bench.ask('adopt');
      await commandStarted(bench);
      await bench.adopt(threadId);
      await completed(bench);
      expect(saidText(bench).includes('STILL-HERE'), 'what was said after the restart is lost');
      return 'the same turn ended';
    },
  },
  {
    name: 'resume',
    what: 'continues a thread in a new process',
    isOffered: ({ engine }) => engine.capabilities.resume,
    run: async (bench) => {
      const threadId = await bench.startThread();
      await bench.ask('answer');
      await completed(bench);
      await bench.kill();
      await bench.start();
      expect(await bench.resumeThread(threadId), 'the stored thread was not continued');
      await bench.ask('resume');
      await completed(bench);
      expect(saidText(bench).includes('SEEN-BEFORE'), 'the model does not see the earlier turn');
      return 'the earlier turn is there';
    },
  },
  {
    name: 'refused',
    what: 'ends a turn whose provider refuses the key',
    run: async (bench) => {
      await bench.startThread();
      await bench.ask('refused');
      const { status, failure } = await turnEnd(bench);
      expect(status === 'failed', `the turn ended as ${status}`);
      return failure?.kind ?? 'failed';
    },
  },
];

/** Runs every check against one agent, each with its own process, home and repository. */
export async function* runChecks(target: CheckTarget): AsyncGenerator<CheckResult> {
  for (const check of CHECKS) yield await runCheck(check, target);
}

async function runCheck(check: Check, target: CheckTarget): Promise<CheckResult> {
  const { name, what } = check;
  const beganMs = performance.now();
  const result = (status: CheckResult['status'], detail: string): CheckResult => ({
    name,
    what,
    status,
    detail,
    durationMs: Math.round(performance.now() - beganMs),
  });
  if (check.isOffered?.(target) === false) return result('not offered', 'as the agent says');
  const bench = new CheckBench(target);
  try {
    await bench.open();
    return result('ok', await check.run(bench, target));
  } catch (error) {
    const why = messageOf(error);
    const printed = textTail(plainLine(await bench.stderrTail()), PRINTED_CHARS);
    return result('failed', printed === '' ? why : `${why}; it printed: ${printed}`);
  } finally {
    await bench.close();
  }
}

class CheckFailed extends Error {}

function expect(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new CheckFailed(otherwise);
}

/** Resolves when the model's command is running. */
async function commandStarted(bench: CheckBench): Promise<void> {
  const first = await bench.events.until('command', isCommandOrEnd, EVENT_TIMEOUT_MS);
  expect(first.kind === 'item_started', 'the turn ended before a command was shown');
}

async function completed(bench: CheckBench): Promise<void> {
  const { status, failure } = await turnEnd(bench);
  expect(status === 'completed', `the turn ended as ${status}: ${failure?.message ?? 'no reason'}`);
}

function turnEnd(bench: CheckBench): Promise<TurnEnded> {
  return bench.events.until('end of the turn', isTurnEnded, TURN_TIMEOUT_MS);
}

function isTurnEnded(event: EngineEvent): event is TurnEnded {
  return event.kind === 'turn_ended';
}

function isTurnStarted(
  event: EngineEvent,
): event is Extract<EngineEvent, { kind: 'turn_started' }> {
  return event.kind === 'turn_started';
}

function isCommandOrEnd(event: EngineEvent): event is TurnEnded | ItemStarted {
  return (
    (event.kind === 'item_started' && event.item.type === 'command') || event.kind === 'turn_ended'
  );
}

function endedItems(bench: CheckBench): ItemEnded[] {
  return bench.events.all.filter((event): event is ItemEnded => event.kind === 'item_ended');
}

function saidText(bench: CheckBench): string {
  return endedItems(bench)
    .map(({ item }) => (item.type === 'message' ? item.text : ''))
    .join('\n');
}
