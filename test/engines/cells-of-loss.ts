import { DONE, type ReadyScript } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { exec, say } from '../../control-plane/scripted-provider/step.ts';
import Docker from 'dockerode';
import { ownContainers } from '../support/e2e/own-containers.ts';
import { type Cell, END_LIMIT_MS, must } from './cell.ts';
import type { EngineWorld } from './engine-world.ts';

const DOCKER_TIMEOUT_MS = 20_000;
const FIRST_WORK = 'echo first > first.txt';

/** Works in two steps, the second one long enough to be interrupted. */
const twoSteps: ReadyScript = ({ stepIndex }) => {
  if (stepIndex === 0) return exec(FIRST_WORK);
  if (stepIndex === 1) return exec('sleep 6; echo second > second.txt');
  return say(`Both are written.\n\n${DONE}`);
};

async function runnerKilled({ bench, plan }: EngineWorld): Promise<string> {
  plan('cell:runner', twoSteps);
  const { client, service } = bench;
  const { identifier } = await client.createIssue({ title: 'cell:runner' });
  await secondStep(bench, identifier);
  const runner = (await service.processes()).find(({ command }) => /lib\/runner\.js/.test(command));
  must(runner !== undefined, 'the runner is a process', await service.processes());
  process.kill(runner?.pid ?? 0, 'SIGKILL');
  const issue = await client.settled(identifier, END_LIMIT_MS);
  must(issue.status === 'completed', 'the issue is completed', [issue.status, issue.reason]);
  must(issue.attempts.length === 1, 'the same attempt went on', issue.attempts);
  await bothFiles(bench, identifier);
  return 'adopted, one attempt';
}

/** What the model is told again shows whether the thread went on. */
async function containerKilled({ bench, plan }: EngineWorld): Promise<string> {
  let isKilled = false;
  plan('cell:container', (request) => {
    if (!isKilled) return twoSteps(request);
    if (!JSON.stringify(request.input).includes(FIRST_WORK)) return say('I remember nothing.');
    return request.stepIndex === 0
      ? exec('echo second > second.txt')
      : say(`I remember.\n\n${DONE}`);
  });
  const { client } = bench;
  const { identifier } = await client.createIssue({ title: 'cell:container' });
  const attemptId = await secondStep(bench, identifier);
  const docker = new Docker({ timeout: DOCKER_TIMEOUT_MS });
  const running = (await ownContainers({ attemptId })).filter(({ state }) => state === 'running');
  must(running.length > 0, 'the engine has a container', running);
  isKilled = true;
  const kills = running.map(({ id }) => docker.getContainer(id).kill({ signal: 'SIGKILL' }));
  const killed = (await Promise.allSettled(kills)).filter(({ status }) => status === 'fulfilled');
  // The runner's own short work may end by itself meanwhile.
  must(killed.length > 0, 'a container is killed', running);
  const issue = await client.settled(identifier, END_LIMIT_MS);
  must(issue.status === 'completed', 'the issue is completed', [issue.status, issue.reason]);
  must(issue.attempts.length === 2, 'a second attempt took over', issue.attempts);
  await bothFiles(bench, identifier);
  const newest = issue.attempts.find(({ number }) => number === 2);
  const { events } = await client.attempt(newest?.attemptId ?? '');
  const thread = events.find(({ data }) => data['kind'] === 'thread');
  const resumed = JSON.stringify(thread?.data['payload']).includes('"resumed":true');
  must(resumed, 'the thread is resumed', thread);
  return 'resumed with its history';
}

async function secondStep(
  { client, provider }: EngineWorld['bench'],
  identifier: string,
): Promise<string> {
  const { attemptId } = await client.commandRunning(identifier, END_LIMIT_MS);
  await client.issueUntil(
    identifier,
    () =>
      provider.requests.some(
        ({ userTexts, stepIndex }) => stepIndex === 1 && userTexts.join().includes(identifier),
      ),
    'is at its second step',
  );
  return attemptId;
}

async function bothFiles({ client, repository }: EngineWorld['bench'], identifier: string) {
  const { branch } = await client.pullRequestOf(identifier);
  const files = await repository.git('ls-tree', '--name-only', branch);
  must(/first\.txt[^]*second\.txt/.test(files), 'both files are delivered', files);
}

export const CELLS_OF_LOSS: readonly Cell[] = [
  { name: 'kill -9 of the runner', show: runnerKilled },
  { name: 'kill -9 of the container', show: containerKilled },
];
