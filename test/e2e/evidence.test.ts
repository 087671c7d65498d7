import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { AttemptEvidence } from '@switchyard/shared/api/attempt-evidence';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  fixFailingTest,
  type ReadyScript,
} from '../../control-plane/scripted-provider/ready-scripts.ts';
import { exec, say } from '../../control-plane/scripted-provider/step.ts';
import { byPrompt } from '../support/scripted-model/scripts.ts';
import { type Bench, startBench } from '../support/e2e/start-bench.ts';
import { switchyard } from '../support/e2e/switchyard.ts';
import { until } from '../support/e2e/until.ts';

const FOLDER = 'review/shots';
/** One red pixel. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC',
  'base64',
);
const REPORT = 'all 3 tests pass\n';
const QUESTION = 'Which colour should the button have?';
const colour = {
  id: 'colour',
  header: 'Colour',
  question: QUESTION,
  options: [
    { label: 'Blue', description: 'As in the rest of the application' },
    { label: 'Green', description: 'As in the design draft' },
  ],
};

/** As an agent that knows nothing of the folder's meaning would: it stages and commits all there is. */
const WORK = [
  `mkdir -p src '${FOLDER}/dark'`,
  'echo green > src/colour.txt',
  'echo changed >> README.md',
  `printf %s ${PICTURE.toString('base64')} | base64 -d > '${FOLDER}/dark/button.png'`,
  `printf %s '${REPORT}' > '${FOLDER}/report.txt'`,
  'git add -A',
  'git -c user.name=Agent -c user.email=agent@example.invalid commit --quiet -m "Colour the button"',
  'echo later >> src/colour.txt',
].join(' && ');

const works: ReadyScript = ({ stepIndex }) => {
  if (stepIndex === 0) return { outputs: [{ type: 'questions', questions: [colour] }] };
  if (stepIndex === 1) return exec(WORK);
  return say('The button is green now.\n\nSWITCHYARD_STATUS: DONE');
};

describe('what the work of a pull request was made from', { timeout: 180_000 }, () => {
  let bench: Bench;
  let identifier: string;
  let attemptId: string;
  let evidence: AttemptEvidence;

  beforeAll(async () => {
    bench = await startBench({
      script: byPrompt([{ match: 'case:evidence', script: works }], fixFailingTest()),
    });
    const { client, repository } = bench;
    await client.must('POST', '/setup/repo-route', {
      label: 'evidence',
      url: repository.url,
      scope: ['src/**', 'test/**'],
      artifacts: FOLDER,
      evidence: 'full',
    });
    const made = await client.createIssue({ title: 'case:evidence', labels: ['evidence'] });
    identifier = made.identifier;
    const asked = await until(
      async () => (await client.requests()).find((one) => one.identifier === identifier),
      (request) => request !== undefined,
      { what: 'a question', timeoutMs: 60_000 },
    );
    const answers = { colour: ['Green'] };
    await client.must('POST', `/requests/${asked?.requestId}/answer`, { answers });
    const issue = await client.settled(identifier, 120_000);
    expect(issue, issue.reason ?? '').toMatchObject({ status: 'completed', attemptCount: 1 });
    attemptId = issue.attempts[0]?.attemptId ?? '';
    evidence = await client.must('GET', `/attempts/${attemptId}/evidence`);
  }, 240_000);
  afterAll(() => bench?.close());

  it('is answered by the service', () => {
    expect(evidence).toMatchObject({
      attemptId,
      changes: { files: 2, insertions: 3, deletions: 0 },
      outsideScope: { files: 1, paths: ['README.md'] },
      attempts: [{ attemptId, number: 1, status: 'completed', outcome: 'completed' }],
      attemptCount: 1,
      questions: [{ attemptId, question: QUESTION, answer: 'Green' }],
      questionCount: 1,
      files: [
        { path: 'dark/button.png', bytes: PICTURE.length, type: 'image/png' },
        { path: 'report.txt', bytes: REPORT.length, type: 'text/plain' },
      ],
      filesLeftOut: 0,
    });
    expect(evidence.usage.tokens).toBeGreaterThan(0);
  });

  it('has the very bytes that the agent wrote, of which none is in the commit', async () => {
    const { client, repository } = bench;
    const read = async (url: string | undefined) => {
      const answer = await fetch(`${client.url}${url}`, { signal: AbortSignal.timeout(60_000) });
      expect(answer.status).toBe(200);
      return Buffer.from(await answer.arrayBuffer());
    };
    expect(await read(evidence.files[0]?.url)).toEqual(PICTURE);
    expect((await read(evidence.files[1]?.url)).toString()).toBe(REPORT);
    const { branch, commitSha } = await client.pullRequestOf(identifier);
    expect(await repository.git('rev-parse', branch)).toBe(commitSha);
    const changed = await repository.git('diff', '--name-only', 'main', branch);
    expect(changed.split('\n')).toEqual(['README.md', 'src/colour.txt']);
    const objects = await repository.git('log', '--format=', '--name-only', `main..${branch}`);
    expect(objects).not.toContain(FOLDER);
  });

  it('is told in the pull request, with links, and in short in the comment', async () => {
    const { client } = bench;
    const { body } = await client.pullRequestOf(identifier);
    const section = body.slice(body.indexOf('## How it was made'));
    expect(section).toContain('2 files changed (+3 −0)');
    expect(section).toMatch(/outside.*scope.*README\.md/);
    expect(section).toMatch(/\d tokens/);
    expect(section).toContain(QUESTION);
    expect(section).toContain('Green');
    for (const { path, url } of evidence.files) {
      expect(section).toContain(path);
      expect(section).toContain(`<${client.url}${url}>`);
    }
    const comment = (await client.comments(identifier)).at(-1)?.body ?? '';
    expect(comment).toMatch(/2 files changed \(\+3.*1 outside the declared scope/);
    expect(comment).toMatch(/1 question answered.*2 files left/);
  });

  it('is shown by the command line, which downloads the files below a folder', async () => {
    const { client, folder } = bench;
    const run = (...args: string[]) => switchyard([...args, '--url', client.url], folder);
    const { stdout } = await run('issue', 'show', identifier);
    expect(stdout).toContain('changes  2 files (+3 −0)\n');
    expect(stdout).toContain('outside  1 file outside the declared scope: README.md\n');
    expect(stdout).toMatch(/^ +\? Which colour.*\n +Green/m);
    expect(stdout).toContain(`${client.url}${evidence.files[0]?.url}\n`);
    expect(JSON.parse((await run('issue', 'show', identifier, '--json')).stdout)).toMatchObject({
      evidence,
    });
    expect((await run('logs', identifier)).stdout).toContain(
      '--- 2 files kept for review: dark/button.png, report.txt',
    );
    expect((await run('issue', 'files', identifier)).stdout).toContain(
      `report.txt (17 B)\n${client.url}${evidence.files[1]?.url}\n`,
    );
    const first = await run('issue', 'files', identifier, '--attempt', '1', '--json');
    expect(JSON.parse(first.stdout)).toMatchObject({ attemptId, files: evidence.files });
    const none = await run('issue', 'files', identifier, '--attempt', '2');
    expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('has no attempt 2') });
    const ended = await run('issue', 'files', identifier, '--out', 'here');
    expect(ended.code, ended.stderr).toBe(0);
    const here = join(folder, 'here');
    expect(await readFile(join(here, 'dark', 'button.png'))).toEqual(PICTURE);
    expect(await readFile(join(here, 'report.txt'), 'utf8')).toBe(REPORT);
    const again = await run('issue', 'files', identifier, '--out', 'here', '--json');
    expect(again.code).toBe(1);
    expect(JSON.parse(again.stdout)).toMatchObject({
      files: [
        { path: 'dark/button.png', written: null, problem: expect.stringContaining('--force') },
        { path: 'report.txt', written: null, problem: expect.stringContaining('--force') },
      ],
    });
    const forced = await run('issue', 'files', identifier, '--out', 'here', '--force');
    expect(forced.code, forced.stderr).toBe(0);
    expect((await readdir(here)).toSorted()).toEqual(['dark', 'report.txt']);
  });
});
