import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReadyScript } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { exec, say } from '../../control-plane/scripted-provider/step.ts';
import { type PackageRegistry, startPackageRegistry } from '../support/e2e/package-registry.ts';
import { type Bench, startBench } from '../support/e2e/start-bench.ts';

const PACKAGE = 'swy-fixture-greeting';
const WORDS = 'hello from the registry';
const INSTALL =
  `npm install --no-save --no-audit --no-fund --fetch-retries=0 ${PACKAGE} 2>&1 | tail -n 5; ` +
  `node -p 'require("${PACKAGE}")' 2>&1 | tail -n 12`;

const installs: ReadyScript = ({ stepIndex }) =>
  stepIndex === 0 ? exec(INSTALL, 60_000) : say('I tried.\n\nSWITCHYARD_STATUS: DONE');

describe('installing a package in an attempt', () => {
  let bench: Bench;
  let registry: PackageRegistry;

  beforeAll(async () => {
    registry = await startPackageRegistry(PACKAGE, WORDS);
    bench = await startBench({
      script: installs,
      sandbox: 'docker',
      config: { 'agent.maxContinuationAttempts': 0 },
      // As the operator of this host would set it in ~/.npmrc.
      env: { npm_config_registry: registry.url },
    });
  });
  afterAll(async () => {
    await bench?.close();
    await registry?.close();
  });

  async function attempt(): Promise<{ seen: string; kinds: Record<string, unknown>[] }> {
    const { client, provider } = bench;
    const { identifier } = await client.createIssue({ title: 'Install the package' });
    const issue = await client.settled(identifier);
    expect(issue, issue.reason ?? '').toMatchObject({ status: 'completed' });
    const asked = provider.requests.filter(({ userTexts }) =>
      userTexts.join().includes(identifier),
    );
    const { events } = await client.attempt(issue.attempts[0]?.attemptId ?? '');
    return {
      seen: asked.at(-1)?.toolOutputs.join('\n') ?? '',
      kinds: events.map(({ data }) => data),
    };
  }

  it("works by default from the registry that this host's npm is set up with", async () => {
    const { seen, kinds } = await attempt();
    expect(seen).toContain(WORDS);
    expect(registry.asked).toContain(`/${PACKAGE}`);
    const allowed = kinds.find(({ kind }) => kind === 'egress_allowed');
    expect(JSON.stringify(allowed?.['payload'])).toContain(`"port":${registry.port}`);
    const locks = kinds.find(({ kind }) => kind === 'isolation');
    expect(locks?.['payload']).toMatchObject({
      level: 'container',
      network: 'none',
      capabilities: 'none',
      seccomp: true,
      noNewPrivileges: true,
      readOnlyRoot: true,
    });
  });

  it('fails without any allowed host, and the attempt names the host that was asked for', async () => {
    const before = registry.asked.length;
    const { client } = bench;
    const value = { value: 'none' };
    await client.must(
      'PATCH',
      `/config/overlay/${encodeURIComponent('engine.sandbox.network')}`,
      value,
    );
    const { seen, kinds } = await attempt();
    expect(seen).not.toContain(WORDS);
    expect(registry.asked).toHaveLength(before);
    const refused = kinds.find(({ kind }) => kind === 'egress_refused');
    expect(refused?.['payload']).toMatchObject({
      hosts: [{ host: 'runner.internal', port: registry.port, reason: 'host_not_allowed' }],
    });
  });
});
