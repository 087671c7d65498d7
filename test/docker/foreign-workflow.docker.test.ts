import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ReadyScript } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { exec, say } from '../../control-plane/scripted-provider/step.ts';
import { type Bench, startBench } from '../support/e2e/start-bench.ts';

const WORK = 'git log --oneline | head -3; git remote -v; echo more > more.txt';
const works: ReadyScript = ({ stepIndex }) =>
  stepIndex === 0 ? exec(WORK, 60_000) : say('Done.\n\nSWITCHYARD_STATUS: DONE');

let bench: Bench;
beforeAll(async () => {
  bench = await startBench({
    script: works,
    sandbox: 'docker',
    slots: 1,
    // Its tracker is out of reach here; all else is as the file says.
    config: { 'agent.maxContinuationAttempts': 0, 'tracker.kind': 'local' },
  });
});
afterAll(() => bench?.close());

/** A file as people bring it from Symphony: only the address of the repository is another. */
const fileOf = (url: string) => `---
tracker:
  kind: linear
  project_slug: "web-0123456789ab"
  active_states:
    - Todo
    - In Progress
polling:
  interval_ms: 5000
workspace:
  root: ~/code/workspaces
hooks:
  after_create: |
    git clone --depth 1 ${url} .
    if command -v mise >/dev/null 2>&1; then
      mise trust
    fi
agent:
  max_concurrent_agents: 10
  max_turns: 20
codex:
  command: codex --config shell_environment_policy.inherit=all --model gpt-5.3-codex app-server
  approval_policy: never
  thread_sandbox: workspace-write
  turn_sandbox_policy:
    type: workspaceWrite
---
You are working on the ticket \`{{ issue.identifier }}\`

{% if attempt %}
This is retry attempt #{{ attempt }}.
{% endif %}

Title: {{ issue.title }}
`;

it('runs unchanged: its hook clones from the mirror into an empty workspace, without a network', async () => {
  const { client, provider, repository, folder } = bench;
  await writeFile(join(folder, 'data', 'WORKFLOW.md'), fileOf(repository.url));
  await expect
    .poll(async () => JSON.stringify(await client.must('GET', '/config')), { timeout: 25_000 })
    .toContain('git clone --depth 1');
  const { identifier } = await client.createIssue({ title: 'Write more' });
  const issue = await client.settled(identifier);
  expect(issue, issue.reason ?? '').toMatchObject({ status: 'completed' });
  const asked = provider.requests.filter(({ userTexts }) => userTexts.join().includes(identifier));
  const words = asked[0]?.userTexts.join('\n') ?? '';
  expect(words).toContain(`You are working on the ticket \`${identifier}\``);
  expect(words).toContain('SWITCHYARD_STATUS: DONE');
  expect(asked.at(-1)?.toolOutputs.join('\n')).toContain(`origin\t${repository.url}`);
  const branches = execFileSync('git', ['-C', new URL(repository.url).pathname, 'branch'], {
    encoding: 'utf8',
  });
  expect(branches).toContain(`switchyard/${identifier.toLowerCase()}`);
});
