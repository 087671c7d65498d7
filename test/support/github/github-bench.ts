import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failingTestProject } from '../../../control-plane/scripted-provider/failing-test-project.ts';
import {
  type Script,
  type ScriptedProvider,
  startScriptedProvider,
} from '../../../control-plane/scripted-provider/scripted-provider.ts';
import { makeRepository } from '../e2e/git-repository.ts';
import { runnerConnected, type RunningService, startService } from '../e2e/start-service.ts';
import type { FakePermissions } from './fake-credentials.ts';
import { FakeGitHub } from './fake-github.ts';
import type { FakeRepository } from './fake-state.ts';
import { FakePeople } from './fake-webhooks.ts';

/** With permissions: a fine-grained token for the repositories named, which may nothing else. */
type Access = 'token' | 'app' | { repositories: readonly string[]; permissions: FakePermissions };

export type GitHubBench = {
  fake: FakeGitHub;
  repository: FakeRepository;
  people: FakePeople;
  provider: ScriptedProvider;
  service: RunningService;
  folder: string;
  close(): Promise<void>;
};

/** A running service whose only repository lies on a fake GitHub. */
export async function startGitHubBench(options: {
  script: Script;
  access: Access;
  webhooks: boolean;
  config?: Readonly<Record<string, string | number>>;
}): Promise<GitHubBench> {
  const folder = await mkdtemp(join(tmpdir(), 'swy-e2e-github-'));
  const apiKey = `e2e-${randomBytes(16).toString('hex')}`;
  const webhookSecret = randomBytes(16).toString('hex');
  const provider = await startScriptedProvider({ script: options.script, apiKey });
  const fake = await FakeGitHub.start();
  let service: RunningService | null = null;
  const close = async () => {
    await service?.kill();
    await provider.close();
    await fake.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    await makeRepository(join(fake.gitRoot, 'acme'), 'project', { files: failingTestProject });
    const repository = fake.addRepository('acme', 'project', { git: true });
    service = await startService({
      dataDir: join(folder, 'data'),
      args: ['--sandbox', 'process', '--slots', '2'],
      env: { GIT_SSL_CAINFO: fake.certPath },
      config: {
        'engine.model': 'scripted-model',
        'engine.provider.name': 'scripted',
        'engine.provider.baseUrl': provider.url,
        'engine.provider.apiKey': apiKey,
        'limits.apiPerMinute': 1_000_000,
        'limits.webhooksPerMinute': 1_000_000,
        'webhook.codehostSecret': webhookSecret,
        'codehost.github.endpoint': fake.apiUrl,
        'codehost.github.url': fake.webUrl,
        ...accessConfig(options.access, fake),
        ...options.config,
      },
    });
    const { client } = service;
    const secret = secretOf(options.access, fake);
    await client.must('POST', '/secrets/GITHUB_ACCESS', { value: secret });
    await runnerConnected(service);
    await client.must('POST', '/setup/repo-route', { prefix: 'SY-', url: fake.urlOf(repository) });
    const target = { url: `${service.url}/webhooks/codehost`, secret: webhookSecret };
    const people = new FakePeople(fake, repository, options.webhooks ? target : null);
    return { fake, repository, people, provider, service, folder, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function secretOf(access: Access, { credentials }: FakeGitHub): string {
  if (access === 'token') return credentials.token;
  if (access === 'app') return credentials.privateKey;
  return credentials.fineGrained(access.repositories, access.permissions);
}

function accessConfig(access: Access, fake: FakeGitHub): Record<string, string> {
  if (access !== 'app') return { 'codehost.github.token': '$SECRET:GITHUB_ACCESS' };
  return {
    'codehost.github.appId': fake.credentials.appId,
    'codehost.github.appPrivateKey': '$SECRET:GITHUB_ACCESS',
  };
}
