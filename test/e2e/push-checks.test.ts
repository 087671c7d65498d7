import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  fixFailingTest,
  type ReadyScript,
} from '../../control-plane/scripted-provider/ready-scripts.ts';
import { byPrompt } from '../support/scripted-model/scripts.ts';
import { exec, say } from '../../control-plane/scripted-provider/step.ts';
import { type Bench, startBench } from '../support/e2e/start-bench.ts';

const DONE = 'SWITCHYARD_STATUS: DONE';
const WORKFLOW = '.github/workflows/deploy.yml';
const ADD = `mkdir -p .github/workflows && echo 'on: push' > ${WORKFLOW} && echo work > work.txt`;

/** Adds a workflow; takes it out when it is told to, or does not. */
const addsWorkflow =
  (obeys: boolean): ReadyScript =>
  ({ stepIndex, userTexts }) => {
    const base = /git reset --soft ([0-9a-f]{40})/.exec(userTexts.at(-1) ?? '')?.[1];
    if (base === undefined) return stepIndex === 0 ? exec(ADD) : say(`Added.\n\n${DONE}`);
    const mend = `git reset -q --soft ${base} && git rm -rqf .github`;
    return obeys && stepIndex === 0 ? exec(mend) : say(`Put right.\n\n${DONE}`);
  };

describe('work that may not be pushed', () => {
  let bench: Bench;

  beforeAll(async () => {
    const scripts = [
      { match: 'case:obeys', script: addsWorkflow(true) },
      { match: 'case:insists', script: addsWorkflow(false) },
    ];
    bench = await startBench({ script: byPrompt(scripts, fixFailingTest()) });
  });
  afterAll(() => bench?.close());

  it('is told to the agent, which puts it right in another turn', async () => {
    const { client, repository } = bench;
    const { identifier } = await client.createIssue({ title: 'case:obeys' });
    const issue = await client.settled(identifier);
    expect(issue, issue.reason ?? '').toMatchObject({ status: 'completed' });
    const { branch } = await client.pullRequestOf(identifier);
    const files = await repository.git('ls-tree', '-r', '--name-only', branch);
    expect(files.split('\n')).toContain('work.txt');
    expect(files).not.toContain(WORKFLOW);
    const history = await repository.git('log', '--all', '--format=', '--name-only');
    expect(history, 'no ref of the remote has it').not.toContain(WORKFLOW);
    const [attempt] = issue.attempts;
    expect(attempt?.turnCount).toBe(2);
    const { events } = await client.attempt(attempt?.attemptId ?? '');
    const refused = events.filter(({ data }) => data['kind'] === 'write_refused');
    expect(JSON.stringify(refused)).toContain(WORKFLOW);
    expect(JSON.stringify(refused)).toContain('workflow_file');
  });

  it('ends the attempt with the reason when the agent insists', async () => {
    const { client, repository } = bench;
    const { identifier } = await client.createIssue({ title: 'case:insists' });
    const issue = await client.settled(identifier);
    expect(issue).toMatchObject({ status: 'blocked', reasonCode: 'work_refused' });
    expect(issue.reason).toContain(WORKFLOW);
    expect(issue.attempts).toMatchObject([{ failureKind: 'delivery_refused', turnCount: 4 }]);
    const history = await repository.git('log', '--all', '--format=', '--name-only');
    expect(history).not.toContain(WORKFLOW);
  });
});
