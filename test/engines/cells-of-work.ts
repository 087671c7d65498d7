import {
  BLOCKED,
  DONE,
  fixFailingTest,
  type ReadyScript,
} from '../../control-plane/scripted-provider/ready-scripts.ts';
import {
  exec,
  say,
  type Step,
  together,
  type Usage,
} from '../../control-plane/scripted-provider/step.ts';
import { ownContainers } from '../support/e2e/own-containers.ts';
import { asksQuestion, slow } from '../support/scripted-model/scripts.ts';
import { until } from '../support/e2e/until.ts';
import { type Cell, END_LIMIT_MS, must } from './cell.ts';
import type { EngineWorld } from './engine-world.ts';

const WORDS = 'Please write the word heron into it as well.';
const CANCEL_LIMIT_MS = 15_000;
const FIRST: Usage = { input: 1_200, cachedInput: 400, output: 55, reasoning: 21 };
const SECOND: Usage = { input: 1_730, cachedInput: 1_100, output: 34, reasoning: 8 };

async function pullRequest({ bench, plan }: EngineWorld): Promise<string> {
  plan('cell:pull-request', fixFailingTest());
  const { client, repository } = bench;
  const { identifier } = await client.createIssue({ title: 'cell:pull-request' });
  const issue = await client.settled(identifier, END_LIMIT_MS);
  must(issue.status === 'completed', 'the issue is completed', [issue.status, issue.reason]);
  const { branch, commitSha } = await client.pullRequestOf(identifier);
  must((await repository.git('rev-parse', branch)) === commitSha, 'the branch is pushed', branch);
  const code = await repository.git('show', `${branch}:src/format-duration.js`);
  must(code.includes('Math.floor(rest / seconds)'), 'the code is repaired', code);
  const events = (await client.attempt(issue.attempts[0]?.attemptId ?? '')).events;
  const kinds = JSON.stringify(events.map(({ data }) => data['payload']));
  must(kinds.includes('"command"'), 'commands are in the timeline', kinds);
  return `${events.length} events`;
}

async function cancel({ bench, plan }: EngineWorld): Promise<string> {
  plan('cell:cancel', slow());
  const { client } = bench;
  const { identifier } = await client.createIssue({ title: 'cell:cancel' });
  const { attemptId } = await client.commandRunning(identifier, END_LIMIT_MS);
  const startedMs = performance.now();
  await client.must('POST', `/${identifier}/abort`);
  const issue = await client.settled(identifier, CANCEL_LIMIT_MS);
  must(issue.status === 'cancelled', 'the issue is cancelled', issue.status);
  await until(
    () => ownContainers({ attemptId }),
    (left) => left.length === 0,
    { what: 'no container', timeoutMs: CANCEL_LIMIT_MS },
  );
  return `${Math.round(performance.now() - startedMs)} ms`;
}

/** Works until it has heard the words, at most for a while, so that a queued steer comes too. */
const hears: ReadyScript = ({ stepIndex, userTexts }) => {
  const heard = userTexts.join('\n').includes(WORDS);
  if (heard) return say(`I wrote heron.\n\n${DONE}`);
  if (stepIndex >= 4) return say('Nobody spoke, I go on later.');
  return exec('sleep 1; echo work >> work.txt');
};

async function steer({ bench, plan }: EngineWorld): Promise<string> {
  plan('cell:steer', hears);
  const { client } = bench;
  const { identifier } = await client.createIssue({ title: 'cell:steer' });
  await client.commandRunning(identifier, END_LIMIT_MS);
  const { delivered } = await client.must<{ delivered: boolean }>('POST', `/${identifier}/steer`, {
    message: WORDS,
  });
  const issue = await client.settled(identifier, END_LIMIT_MS);
  must(issue.status === 'completed', 'the agent heard the words', [issue.status, issue.reason]);
  const { turnCount } = issue.attempts[0] ?? { turnCount: 0 };
  must(issue.attempts.length === 1, 'one attempt heard them', issue.attempts.length);
  if (turnCount > 1) return 'queued for the next turn, and said';
  must(delivered, 'the words joined the turn', delivered);
  return 'joined the turn';
}

async function question({ bench, plan }: EngineWorld): Promise<string> {
  plan('cell:question', asksQuestion);
  const { client, repository } = bench;
  const { identifier } = await client.createIssue({ title: 'cell:question' });
  const asked = await until(
    () => client.requests(),
    (open) => open.some((one) => one.identifier === identifier),
    { what: 'a question in the inbox', timeoutMs: 60_000 },
  );
  const request = asked.find((one) => one.identifier === identifier);
  const [first] = request?.questions ?? [];
  must(first?.options.length === 2, 'the question has its options', request);
  await client.must('POST', `/requests/${request?.requestId}/answer`, {
    answers: { [first?.id ?? '']: ['Green'] },
  });
  const issue = await client.settled(identifier, END_LIMIT_MS);
  must(issue.status === 'completed', 'the agent goes on', [issue.status, issue.reason]);
  const { branch } = await client.pullRequestOf(identifier);
  const written = await repository.git('show', `${branch}:colour.txt`);
  must(written.trim() === 'Green', 'the answer reached the agent', written);
  return 'answered from the inbox';
}

const NOTE = 'The heron stands in the shallow water.';

/** Reads its issue with a tool of the service, and writes a note that only who read it can write. */
const usesTools: ReadyScript = ({ stepIndex, toolOutputs }) => {
  const call = (args: unknown): Step => ({
    outputs: [{ type: 'tool', name: 'tracker_api', arguments: args }],
  });
  if (stepIndex === 0) return call({ operation: 'get_issue' });
  const read = toolOutputs.join('\n').includes('cell:tool');
  if (!read) return say(`I could not read my issue.\n\n${BLOCKED}`);
  if (stepIndex === 1) return call({ operation: 'write_note', text: NOTE });
  return say(`Noted.\n\n${DONE}`);
};

async function toolCall({ bench, plan }: EngineWorld): Promise<string> {
  plan('cell:tool', usesTools);
  const { client } = bench;
  const { identifier } = await client.createIssue({ title: 'cell:tool' });
  const issue = await client.settled(identifier, END_LIMIT_MS);
  must(issue.status === 'completed', 'the issue is completed', [issue.status, issue.reason]);
  const notes = (await client.comments(identifier)).filter(({ body }) => body.includes(NOTE));
  must(notes.length === 1, 'one note stands on the issue', notes.length);
  const { attemptId } = issue.attempts[0] ?? { attemptId: '' };
  const { events } = await client.attempt(attemptId);
  const items = JSON.stringify(events.map(({ data }) => data['payload']));
  must(items.includes('tracker_api'), 'the calls are in the timeline', items);
  return 'read its issue and wrote a note on it';
}

/** Each call costs what is written here, so that the sum is known beforehand. */
const costs: ReadyScript = ({ stepIndex }) =>
  stepIndex === 0
    ? together(exec('echo counted > counted.txt'), { outputs: [], usage: FIRST })
    : together(say(`Counted.\n\n${DONE}`), { outputs: [], usage: SECOND });

async function exactTokens({ bench, plan }: EngineWorld): Promise<string> {
  plan('cell:tokens', costs);
  const { client, provider } = bench;
  const { identifier } = await client.createIssue({ title: 'cell:tokens' });
  const issue = await client.settled(identifier, END_LIMIT_MS);
  must(issue.status === 'completed', 'the issue is completed', [issue.status, issue.reason]);
  const calls = provider.requests.filter(({ userTexts }) => userTexts.join().includes(identifier));
  const { tokens } = issue.attempts[0] ?? {};
  // Engines ask for titles and summaries beside the work: the script answers those as well.
  const expected = calls.reduce((sum, { stepIndex }) => {
    const { input, output } = stepIndex === 0 ? FIRST : SECOND;
    return sum + input + output;
  }, 0);
  must(tokens?.total === expected, `${expected} tokens are counted`, {
    tokens,
    calls: calls.length,
  });
  return `${expected} tokens in ${calls.length} calls`;
}

export const CELLS_OF_WORK: readonly Cell[] = [
  { name: 'pull request in Docker', show: pullRequest },
  { name: 'cancel', show: cancel },
  { name: 'steer', show: steer },
  { name: 'question answered', show: question },
  { name: 'tool call', show: toolCall },
  { name: 'exact tokens', show: exactTokens },
];
