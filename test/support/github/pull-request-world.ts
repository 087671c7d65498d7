import { eq } from 'drizzle-orm';
import type { CodeHost } from '../../../control-plane/src/ports/code-host/code-host.ts';
import { createGitHubCodeHost } from '../../../control-plane/src/integrations/github/code-host/github-code-host.ts';
import { issues } from '../../../control-plane/src/db/schema/work/issues.ts';
import type { Deps } from '../../../control-plane/src/deps.ts';
import { handlePullRequestDelivery } from '../../../control-plane/src/pull-requests/feedback/handle-pull-request-delivery.ts';
import { createGitHubConnections } from '../../../control-plane/src/integrations/github/api/github-connections.ts';
import { type CoreWorld, createCoreWorld } from '../core/core-world.ts';
import { openFramePeer } from '../core/runner-peers.ts';
import type { FakePermissions } from './fake-credentials.ts';
import { FakeGitHub } from './fake-github.ts';
import type { FakePull, FakeRepository, FakeUser } from './fake-state.ts';

export const HEAD_SHA = 'a'.repeat(40);
export const ADA: FakeUser = { login: 'ada', id: 7, type: 'User' };
const signal = AbortSignal.timeout(600_000);

export type PullRequestWorld = {
  world: CoreWorld;
  fake: FakeGitHub;
  repository: FakeRepository;
  pull: FakePull;
  deps: Deps;
  host: CodeHost;
  /** What the code host wrote into the service's log. */
  notes: { message: string; fields: object }[];
  /** Puts the issue to rest as if an attempt had ended, or sets it to work. */
  rest(status: 'completed' | 'blocked' | 'running'): Promise<void>;
  /** Writes a comment on the pull request. */
  say(body: string, more?: { user?: FakeUser; author_association?: string }): void;
  /** A delivery about the pull request. */
  hear(event?: string, more?: object): ReturnType<typeof handlePullRequestDelivery>;
  close(): Promise<void>;
};

/**
 * A core whose issue `SY-1` has an open pull request on a fake GitHub. With permissions it works with
 * a fine-grained token that has no others, with `app` as an App that was installed with these.
 */
export async function createPullRequestWorld(
  options: {
    permissions?: FakePermissions;
    app?: FakePermissions;
    variables?: Record<string, string>;
  } = {},
): Promise<PullRequestWorld> {
  const fake = await FakeGitHub.start();
  const { permissions } = options;
  const token =
    permissions === undefined
      ? fake.credentials.token
      : fake.credentials.fineGrained(['acme/shop'], permissions);
  const repository = fake.addRepository('acme', 'shop');
  const world = await createCoreWorld(openFramePeer, {
    SERVICE_CONFIG__codehost__github__endpoint: fake.apiUrl,
    SERVICE_CONFIG__codehost__github__url: fake.webUrl,
    ...(options.app === undefined
      ? { SERVICE_CONFIG__codehost__github__token: token }
      : asApp(fake, options.app)),
    SERVICE_CONFIG__agent__maxFeedbackAttempts: '2',
    ...options.variables,
  });
  const nowMs = () => world.clock.nowMs();
  Object.assign(fake.credentials, { nowMs });
  Object.assign(fake.limits, { nowMs });
  await world.deps.config.load();
  const github = createGitHubConnections({ ...world.deps });
  const notes: PullRequestWorld['notes'] = [];
  const logger = {
    ...world.deps.logger,
    info: (message: string, fields = {}) => void notes.push({ message, fields }),
    warn: (message: string, fields = {}) => void notes.push({ message, fields }),
  };
  const host = createGitHubCodeHost({ ...world.deps, logger, github });
  const deps = { ...world.deps, codeHosts: [host] };
  const issueIdentifier = await world.createIssue();
  await world.tick();
  const rest = async (status: 'completed' | 'blocked' | 'running') => {
    await world.deps.db
      .update(issues)
      .set({ status, state: 'In Review', reason: null })
      .where(eq(issues.identifier, issueIdentifier));
  };
  await rest('completed');
  repository.branches.set('switchyard/sy-1', HEAD_SHA);
  const { url } = await host.openPullRequest({
    repositoryUrl: fake.urlOf(repository),
    branch: 'switchyard/sy-1',
    base: 'main',
    baseCommit: '0'.repeat(40),
    commitSha: HEAD_SHA,
    title: 'SY-1: Fix it',
    body: 'What & why',
    draft: false,
    diffBlob: null,
    diffStat: { files: 1, insertions: 2, deletions: 0 },
    issueIdentifier,
    attemptId: 'att_000000000001',
  });
  await world.deps.db.update(issues).set({ pull_request_url: url });
  const pull = repository.pulls[0] as FakePull;
  return {
    world,
    fake,
    repository,
    pull,
    deps,
    host,
    rest,
    notes,
    say(body, more = {}) {
      repository.comments.push({
        id: fake.nextId(),
        issue: pull.number,
        body,
        user: ADA,
        author_association: 'OWNER',
        created_at: new Date().toISOString(),
        ...more,
      });
    },
    hear(event = 'issue_comment.created', more = {}) {
      const payload = {
        repository: { html_url: `${fake.webUrl}/acme/shop`, full_name: 'Acme/Shop' },
        issue: { number: pull.number, pull_request: {} },
        ...more,
      };
      return handlePullRequestDelivery(deps, { event, body: JSON.stringify(payload) }, signal);
    },
    async close() {
      await world.close();
      await fake.close();
    },
  };
}

function asApp({ credentials }: FakeGitHub, installed: FakePermissions): Record<string, string> {
  credentials.installed = installed;
  return {
    SERVICE_CONFIG__codehost__github__appId: credentials.appId,
    SERVICE_CONFIG__codehost__github__appPrivateKey: credentials.privateKey,
  };
}
