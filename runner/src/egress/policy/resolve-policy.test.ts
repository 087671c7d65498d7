import type { EgressSpec } from '@switchyard/shared/protocol/egress-spec';
import type { WorkSecret } from '@switchyard/shared/sandbox/work-secret';
import { describe, expect, it } from 'vitest';
import { egressEnvironment, resolvePolicy } from './resolve-policy.ts';

const registries = {
  hosts: ['npm.test:443', 'pip.test:443'],
  npm: 'https://npm.test/private/',
  pip: 'https://pip.test/simple',
};
const secret: WorkSecret = {
  name: 'NPM',
  hosts: ['npm.test', 'git.test:8443'],
  header: 'authorization',
  scheme: 'bearer',
  writes: false,
};

function environment(preset: EgressSpec['preset'], secrets: WorkSecret[]): Record<string, string> {
  const repositoryUrl = 'https://code.test/shop.git';
  const policy = resolvePolicy(
    { preset, hosts: [], maxBytes: 1_000 },
    { registries, privateHosts: [], repositoryUrl, secrets },
  );
  if (policy === null) throw new Error('no policy');
  return egressEnvironment(policy, registries);
}

describe('what a container is told of its way out', () => {
  it('asks hosts that get a secret without TLS, which the proxy adds', () => {
    const env = environment('codehost', [secret]);
    expect(env).toMatchObject({
      npm_config_registry: 'http://npm.test/private/',
      npm_config_replace_registry_host: 'always',
      PIP_INDEX_URL: 'https://pip.test/simple',
    });
    const rules = Object.entries(env).filter(([name]) => name.startsWith('GIT_CONFIG_KEY_'));
    expect(rules.map(([, rule]) => rule)).toEqual([
      'url.http://code.test/.insteadOf',
      'url.http://npm.test/.insteadOf',
      'url.http://git.test:8443/.insteadOf',
    ]);
    expect(env['GIT_CONFIG_COUNT']).toBe('3');
  });

  it('leaves addresses as they are where no secret is granted or nothing is reached', () => {
    for (const env of [environment('registries', []), environment('none', [secret])]) {
      expect(env['npm_config_registry']).toBe(registries.npm);
      expect(env).not.toHaveProperty('GIT_CONFIG_COUNT');
    }
  });
});
