import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failingTestProject } from '../../../control-plane/scripted-provider/failing-test-project.ts';
import { fixFailingTest } from '../../../control-plane/scripted-provider/ready-scripts.ts';
import { byPrompt, commitsItself } from '../scripted-model/scripts.ts';
import { startScriptedProvider } from '../../../control-plane/scripted-provider/scripted-provider.ts';
import { makeRepository } from '../e2e/git-repository.ts';
import { runnerConnected, type RunningService, startService } from '../e2e/start-service.ts';
import { FakeGitHub } from '../github/fake-github.ts';
import type { FakeRepository } from '../github/fake-state.ts';
import { FakePeople } from '../github/fake-webhooks.ts';
import { startFakeLinear } from '../linear/fake-linear.ts';

export type JourneyTracker = 'linear' | 'github';
export type JourneyNotice = 'webhooks' | 'polling';
export type JourneySandbox = 'docker' | 'process';
export type JourneyOptions = {
  tracker: JourneyTracker;
  notice: JourneyNotice;
  sandbox: JourneySandbox;
};

/** What a person sees and does in a tracker. */
type TrackerView = {
  /** Files an issue that is to be worked on, and tells its identifier. */
  file(issue: { title: string; description: string }): Promise<string>;
  /** State of the one issue. */
  state(): string;
  requests(): number;
};

export type JourneyWorld = {
  folder: string;
  service: RunningService;
  tracker: TrackerView;
  fake: FakeGitHub;
  repository: FakeRepository;
  people: FakePeople;
  /** Every credential that exists by now; more are minted as it goes on. */
  planted(): string[];
  /** What agents' models were told, as text. */
  told(): string;
  close(): Promise<void>;
};

/** While webhooks tell what happens, polling must not come into it. */
const NEVER_MS = 3_600_000;
const POLL_MS = 500;

/** A running service between a fake tracker and a fake GitHub; every credential is a secret of it. */
export async function startJourneyWorld(options: JourneyOptions): Promise<JourneyWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'swy-journey-'));
  const secrets = {
    MODEL_KEY: `model-${randomBytes(16).toString('hex')}`,
    CODEHOST_HOOK: `hook-${randomBytes(16).toString('hex')}`,
    TRACKER_HOOK: `hook-${randomBytes(16).toString('hex')}`,
  };
  const provider = await startScriptedProvider({
    script: byPrompt(
      [{ match: 'The check "unit" failed', script: commitsItself }],
      fixFailingTest(),
    ),
    apiKey: secrets.MODEL_KEY,
  });
  const fake = await FakeGitHub.start();
  const linear = options.tracker === 'linear' ? await startFakeLinear() : null;
  let service: RunningService | null = null;
  const close = async () => {
    await service?.kill();
    await provider.close();
    await linear?.close();
    await fake.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    await makeRepository(join(fake.gitRoot, 'acme'), 'project', { files: failingTestProject });
    const repository = fake.addRepository('acme', 'project', { git: true });
    const pollMs = options.notice === 'webhooks' ? NEVER_MS : POLL_MS;
    const access = options.notice === 'webhooks' ? 'app' : 'token';
    const started = await startService({
      dataDir: join(folder, 'data'),
      args: ['--sandbox', options.sandbox, '--slots', '1'],
      env: { GIT_SSL_CAINFO: fake.certPath },
      config: {
        'engine.model': 'scripted-model',
        'engine.provider.name': 'scripted',
        'engine.provider.baseUrl': provider.url,
        'engine.provider.apiKey': '$SECRET:MODEL_KEY',
        'limits.apiPerMinute': 1_000_000,
        'limits.webhooksPerMinute': 1_000_000,
        'polling.intervalMs': pollMs,
        'webhook.pollingStretchMs': pollMs,
        'webhook.webhookSecret': '$SECRET:TRACKER_HOOK',
        'webhook.codehostSecret': '$SECRET:CODEHOST_HOOK',
        'codehost.github.endpoint': fake.apiUrl,
        'codehost.github.url': fake.webUrl,
        ...(access === 'token'
          ? { 'codehost.github.token': '$SECRET:GITHUB_ACCESS' }
          : {
              'codehost.github.appId': fake.credentials.appId,
              'codehost.github.appPrivateKey': '$SECRET:GITHUB_ACCESS',
            }),
        'tracker.kind': options.tracker,
        ...(linear === null
          ? {}
          : {
              'tracker.linear.endpoint': linear.endpoint,
              'tracker.linear.apiKey': '$SECRET:LINEAR_KEY',
            }),
      },
    });
    service = started;
    const { client } = started;
    const { token, privateKey, minted } = fake.credentials;
    const stored = {
      ...secrets,
      GITHUB_ACCESS: access === 'token' ? token : privateKey,
      ...(linear === null ? {} : { LINEAR_KEY: linear.apiKey }),
    };
    for (const [name, value] of Object.entries(stored)) {
      await client.must('POST', `/secrets/${name}`, { value });
    }
    await runnerConnected(started);
    const prefix = linear === null ? 'GH-' : `${linear.world.teamKey}-`;
    await client.must('POST', '/setup/repo-route', { prefix, url: fake.urlOf(repository) });
    const hasHooks = options.notice === 'webhooks';
    const hook = { url: `${started.url}/webhooks/codehost`, secret: secrets.CODEHOST_HOOK };
    if (hasHooks && linear !== null) {
      const url = `${started.url}/webhooks/tracker`;
      const { world } = linear;
      world.webhooks.push({ id: 'hook', url, secret: secrets.TRACKER_HOOK, enabled: true });
    }
    return {
      folder,
      service: started,
      tracker:
        linear === null ? githubView(fake, repository, hasHooks ? hook : null) : linearView(linear),
      fake,
      repository,
      people: new FakePeople(fake, repository, hasHooks ? hook : null),
      planted: () => [
        ...Object.values(secrets),
        ...minted,
        token,
        privateKey.split('\n')[1] ?? privateKey,
        ...(linear === null ? [] : [linear.apiKey]),
      ],
      told: () => JSON.stringify(provider.requests),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function linearView(linear: Awaited<ReturnType<typeof startFakeLinear>>): TrackerView {
  const { world } = linear;
  return {
    file: async (given) => {
      const issue = world.add({ ...given, stateId: world.stateNamed('Todo').id }, world.ada);
      return world.identifier(issue);
    },
    state: () => {
      const [issue] = world.issues.values();
      return issue === undefined ? '' : world.state(issue.stateId).name;
    },
    requests: () => linear.requests.length,
  };
}

function githubView(
  fake: FakeGitHub,
  repository: FakeRepository,
  hook: { url: string; secret: string } | null,
): TrackerView {
  const own = () => repository.issues.find(({ isPull }) => !isPull);
  return {
    file: async ({ title, description }) => {
      repository.lastNumber += 1;
      const now = new Date().toISOString();
      const issue = {
        id: fake.nextId(),
        number: repository.lastNumber,
        title,
        body: description,
        state: 'open' as const,
        state_reason: null,
        labels: ['Todo'],
        assignees: [],
        user: { login: 'ada', id: 7, type: 'User' as const },
        created_at: now,
        updated_at: now,
        isPull: false,
      };
      repository.issues.push(issue);
      if (hook !== null) {
        const named = { full_name: `${repository.owner}/${repository.name}` };
        const body = { action: 'opened', repository: named, issue: { number: issue.number } };
        await deliverIssue(hook, JSON.stringify(body));
      }
      return `GH-${issue.number}`;
    },
    state: () => {
      const issue = own();
      if (issue === undefined) return '';
      if (issue.state === 'closed') return 'Done';
      return issue.labels.find((name) => ['Todo', 'In Progress', 'In Review'].includes(name)) ?? '';
    },
    requests: () => fake.requests.length,
  };
}

async function deliverIssue(hook: { url: string; secret: string }, body: string): Promise<void> {
  const signature = createHmac('sha256', hook.secret).update(body).digest('hex');
  const response = await fetch(hook.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-github-event': 'issues',
      'x-github-delivery': randomUUID(),
      'x-hub-signature-256': `sha256=${signature}`,
    },
    body,
    signal: AbortSignal.timeout(20_000),
  });
  if (!response.ok) throw new Error(`the delivery of the issue was answered ${response.status}`);
  await response.body?.cancel();
}
