import assert from 'node:assert/strict';
import { failingTestIssue } from '../../../control-plane/scripted-provider/failing-test-project.ts';
import { fixFailingTest } from '../../../control-plane/scripted-provider/ready-scripts.ts';
import { byPrompt, commitsItself } from '../scripted-model/scripts.ts';
import { until } from '../e2e/until.ts';
import { refusePushes } from './fake-rules.ts';
import type { FakePull } from './fake-state.ts';
import { type GitHubBench, startGitHubBench } from './github-bench.ts';

const STEP_TIMEOUT_MS = 120_000;
const ASKED = 'Not yet, please';

type Say = (line: string) => void;
type Delivered = { id: string; number: number; pull: FakePull };

/**
 * One issue through what GitHub does to people, with a fine-grained token that has all that such a
 * token can be given but jobs: a rule refuses the push, checks are out of sight, a reviewer's
 * membership is private, everything is 404 for a while, and the issue is transferred. Throws where it
 * does not come out well.
 */
export async function runGitHubTrouble(say: Say): Promise<{ attempts: number; requests: number }> {
  const bench = await startGitHubBench({
    script: byPrompt([{ match: ASKED, script: commitsItself }], fixFailingTest()),
    access: {
      repositories: ['acme/project', 'acme/elsewhere'],
      permissions: { contents: 'write', pull_requests: 'write', issues: 'write' },
    },
    webhooks: true,
    config: {
      'tracker.kind': 'github',
      'polling.intervalMs': 500,
      'webhook.pollingStretchMs': 500,
    },
  });
  try {
    const delivered = await throughRefusedPush(bench, say);
    await throughReview(bench, delivered, say);
    await throughSpell(bench, delivered, say);
    await throughMove(bench, delivered, say);
    assert.deepEqual(bench.fake.limits.impatient, []);
    const { attemptCount: attempts } = await bench.service.client.issue(delivered.id);
    return { attempts, requests: bench.fake.requests.length };
  } finally {
    await bench.close();
  }
}

/** One attempt, the host's words, and delivered without another turn. */
async function throughRefusedPush(bench: GitHubBench, say: Say): Promise<Delivered> {
  const { repository, people, provider, service } = bench;
  const { client } = service;
  await refusePushes(repository, { branches: 'switchyard/', rule: 'Changes need a ticket' });
  const number = await people.file({ ...failingTestIssue, state: 'Todo' });
  const id = `SY-${number}`;
  // The next poll brings it.
  await until(
    () => client.ask('GET', `/api/v1/${id}`),
    ({ status }) => status === 200,
    { what: `${id} is known`, timeoutMs: STEP_TIMEOUT_MS },
  );
  const isBlocked = ({ status }: { status: string }) => status === 'blocked';
  const blocked = await client.issueUntil(id, isBlocked, 'is blocked', STEP_TIMEOUT_MS);
  assert.match(blocked.reason ?? '', /GH013/);
  assert.equal(blocked.attemptCount, 1);
  say('a ruleset refused the push: blocked with its words after one attempt');
  const turns = provider.requests.length;
  const deliver = () => client.ask('POST', `/api/v1/${id}/deliver`);
  assert.notEqual((await deliver()).status, 201);
  await refusePushes(repository, { branches: '', rule: '' });
  assert.equal((await deliver()).status, 201);
  const inReview = ({ state }: { state: string }) => state === 'In Review';
  await client.issueUntil(id, inReview, 'is in review', STEP_TIMEOUT_MS);
  assert.equal(provider.requests.length, turns);
  say('delivered again without the agent once the rule was gone');
  const [pull] = repository.pulls;
  assert.ok(pull);
  return { id, number, pull };
}

/** Checks are out of sight, and are said to be; the review of a private member is heard. */
async function throughReview(bench: GitHubBench, { id, pull }: Delivered, say: Say): Promise<void> {
  const { fake, repository, people, service } = bench;
  const { client } = service;
  repository.people.set('ada', { permission: 'write', member: 'private' });
  const first = await fake.head(repository, pull.headRef);
  await people.failCheck(pull, 'unit', 'nobody sees this');
  await people.review(pull, 'CHANGES_REQUESTED', ASKED);
  await until(
    () => fake.head(repository, pull.headRef),
    (head) => head !== first,
    { what: 'a second commit', timeoutMs: STEP_TIMEOUT_MS },
  );
  const isBack = (issue: { status: string; state: string; attemptCount: number }) =>
    issue.attemptCount === 2 && issue.status === 'completed' && issue.state === 'In Review';
  await client.issueUntil(id, isBack, 'is in review again', STEP_TIMEOUT_MS);
  say('the review of a member whose membership is private led to a second commit');
  const { checked } = await client.must<{ checked: { unseen?: string[] } | null }>(
    'GET',
    `/${id}/pull-request`,
  );
  assert.deepEqual(checked?.unseen, ['check runs', 'commit statuses']);
  say('checks that the token may not see are shown as such');
}

/** Nothing is seen for a while: nothing follows from it. */
async function throughSpell(bench: GitHubBench, { id }: Delivered, say: Say): Promise<void> {
  const { fake, repository, service } = bench;
  const before = fake.requests.length;
  repository.isHidden = true;
  await until(
    () => fake.requests.slice(before).filter(({ status }) => status === 404).length,
    (count) => count >= 6,
    { what: 'looks at what is hidden', timeoutMs: STEP_TIMEOUT_MS },
  );
  repository.isHidden = false;
  const { status, attemptCount } = await service.client.issue(id);
  assert.deepEqual({ status, attemptCount }, { status: 'completed', attemptCount: 2 });
  say('a spell of 404 closed nothing');
}

/** Where it goes it gets the number of a bystander here, and a person wants it done there. */
async function throughMove(bench: GitHubBench, { id, number }: Delivered, say: Say): Promise<void> {
  const { fake, people, service } = bench;
  const { client } = service;
  const bystander = await people.file({ title: 'Later', description: '', state: 'Backlog' });
  const elsewhere = fake.addRepository('acme', 'elsewhere');
  elsewhere.lastNumber = bystander - 1;
  const moved = await people.transfer(number, elsewhere);
  moved?.labels.splice(0, 9, 'Todo');
  const shown = await client.issueUntil(
    id,
    (issue) => JSON.stringify(issue).includes(`acme/elsewhere#${bystander}`),
    'is shown as moved',
    STEP_TIMEOUT_MS,
  );
  assert.equal(shown.attemptCount, 2);
  assert.deepEqual(elsewhere.comments, []);
  assert.deepEqual(moved?.labels, ['Todo']);
  assert.equal((await client.ask('GET', `/api/v1/SY-${bystander}`)).status, 404);
  say('transferred, it is shown as moved, and the bystander of its new number is left alone');
}
