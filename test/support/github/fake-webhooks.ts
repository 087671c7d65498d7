import { createHmac, randomUUID } from 'node:crypto';
import { answersOf, mergeableState } from './fake-answers.ts';
import type { FakeGitHub } from './fake-github.ts';
import { pullAnswer } from './fake-pull-routes.ts';
import { transferIssue } from './fake-moves.ts';
import type { FakeIssue, FakePull, FakeRepository } from './fake-state.ts';
import { gitIn } from './git-backend.ts';

const REVIEWER = { login: 'ada', id: 7, type: 'User' as const };

/** Where deliveries go; without it the fake only keeps what happened, and others must look. */
export type WebhookTarget = { url: string; secret: string };

/** Sends a signed delivery as GitHub does and answers the status. */
async function deliver(
  target: WebhookTarget,
  event: string,
  payload: object,
  deliveryId: string = randomUUID(),
): Promise<number> {
  const body = JSON.stringify(payload);
  const signature = createHmac('sha256', target.secret).update(body).digest('hex');
  const response = await fetch(target.url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'X-GitHub-Event': event,
      'X-GitHub-Delivery': deliveryId,
      'X-Hub-Signature-256': `sha256=${signature}`,
    },
    body,
    signal: AbortSignal.timeout(20_000),
  });
  await response.body?.cancel();
  return response.status;
}

/** What people and machines do on the fake, each with its delivery where there is a target. */
export class FakePeople {
  readonly #fake: FakeGitHub;
  readonly #repository: FakeRepository;
  readonly #target: WebhookTarget | null;

  constructor(fake: FakeGitHub, repository: FakeRepository, target: WebhookTarget | null) {
    this.#fake = fake;
    this.#repository = repository;
    this.#target = target;
  }

  async failCheck(pull: FakePull, name: string, log: string): Promise<void> {
    const sha = (await this.#fake.head(this.#repository, pull.headRef)) ?? '';
    const check = {
      id: this.#fake.nextId(),
      sha,
      name,
      status: 'completed' as const,
      conclusion: 'failure',
      log,
      output: { title: null, summary: null, text: null },
    };
    this.#repository.checks.push(check);
    const answer = answersOf(this.#fake.webUrl, this.#repository).check(check);
    await this.#tell('check_run', 'completed', {
      check_run: { ...answer, pull_requests: [{ number: pull.number }] },
    });
  }

  async comment(pull: FakePull, body: string, at?: { path: string; line: number }): Promise<void> {
    const said = {
      id: this.#fake.nextId(),
      issue: pull.number,
      body,
      user: REVIEWER,
      author_association: 'MEMBER',
      created_at: new Date().toISOString(),
    };
    if (at === undefined) {
      this.#repository.comments.push(said);
      const issue = { number: pull.number, pull_request: {} };
      return this.#tell('issue_comment', 'created', { issue });
    }
    this.#repository.lineComments.push({ ...said, ...at });
    return this.#tell('pull_request_review_comment', 'created', {
      pull_request: { number: pull.number },
    });
  }

  async review(pull: FakePull, state: string, body: string, user = REVIEWER): Promise<void> {
    const created_at = new Date().toISOString();
    const review = { id: this.#fake.nextId(), issue: pull.number, body, user, state, created_at };
    this.#repository.reviews.push(review);
    await this.#tell('pull_request_review', 'submitted', {
      pull_request: { number: pull.number },
    });
  }

  /** Files an issue in this state; answers its number. */
  async file(given: { title: string; description: string; state: string }): Promise<number> {
    const repository = this.#repository;
    repository.lastNumber += 1;
    const now = new Date().toISOString();
    const { title, description: body, state } = given;
    repository.issues.push({
      id: this.#fake.nextId(),
      number: repository.lastNumber,
      title,
      body,
      isPull: false,
      state: 'open',
      state_reason: null,
      labels: [state],
      assignees: [],
      user: REVIEWER,
      created_at: now,
      updated_at: now,
    });
    const { lastNumber: number } = repository;
    await this.#tell('issues', 'opened', { issue: { number } });
    return number;
  }

  async transfer(number: number, to: FakeRepository): Promise<FakeIssue | null> {
    const moved = transferIssue(this.#fake, this.#repository, number, to);
    await this.#tell('issues', 'transferred', { issue: { number } });
    return moved;
  }

  /** Merges with a merge commit, as the button does. */
  async merge(pull: FakePull): Promise<string> {
    const { gitPath } = this.#repository;
    if (gitPath === null) throw new Error('there is no repository to merge in');
    if (mergeableState(this.#repository, pull) === 'blocked') {
      throw new Error('an approval is missing');
    }
    // Through the queue it takes a while; what is told of it changes nothing about the work.
    if (this.#repository.rules.queue) {
      const pull_request = await pullAnswer(this.#fake, this.#repository, pull);
      for (const action of ['enqueued', 'dequeued']) {
        await this.#tell('pull_request', action, { number: pull.number, pull_request });
      }
    }
    const head = (await this.#fake.head(this.#repository, pull.headRef)) ?? '';
    const base = (await this.#fake.head(this.#repository, pull.baseRef)) ?? '';
    const tree = await gitIn(gitPath, 'rev-parse', `${head}^{tree}`);
    const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.invalid'];
    const merged = await gitIn(
      gitPath,
      ...identity,
      'commit-tree',
      tree ?? '',
      '-p',
      base,
      '-p',
      head,
      '-m',
      'Merge',
    );
    if (merged === null) throw new Error('the merge failed');
    await gitIn(gitPath, 'update-ref', `refs/heads/${pull.baseRef}`, merged, base);
    pull.finalSha = head;
    pull.state = 'closed';
    pull.merged_at = new Date().toISOString();
    pull.merge_commit_sha = merged;
    const answer = await pullAnswer(this.#fake, this.#repository, pull);
    await this.#tell('pull_request', 'closed', { number: pull.number, pull_request: answer });
    return merged;
  }

  async #tell(event: string, action: string, more: object): Promise<void> {
    if (this.#target === null) return;
    const repository = answersOf(this.#fake.webUrl, this.#repository).repo();
    const payload = { action, repository, sender: REVIEWER, ...more };
    const id = randomUUID();
    // GitHub may send one twice.
    for (let times = 0; times < 2; times += 1) {
      const status = await deliver(this.#target, event, payload, id);
      if (status >= 300) throw new Error(`the delivery of ${event} was answered ${status}`);
    }
  }
}
