import type { EgressSpec } from '@switchyard/shared/protocol/egress-spec';
import type { WorkSecret } from '@switchyard/shared/sandbox/work-secret';
import { SHIM_PORT } from '../../container/container-engine.ts';
import { type EgressPolicy, RUNNER_ALIAS } from './egress-policy.ts';
import type { Registries } from './read-registries.ts';

/**
 * The policy for a specification on this runner. With `none` the list is empty, so that refusals
 * are logged. Null for a specification without network settings: no access at all.
 */
export function resolvePolicy(
  spec: EgressSpec | undefined,
  host: {
    registries: Registries;
    /** Private hosts that this runner's operator allows. */
    privateHosts: readonly string[];
    repositoryUrl: string;
    /** Secrets granted to the repository; without effect for `none`. */
    secrets?: readonly WorkSecret[] | undefined;
  },
): EgressPolicy | null {
  if (spec === undefined) return null;
  const { preset, maxBytes } = spec;
  if (preset === 'none') {
    return { hosts: [], privateHosts: [], readOnlyOrigins: [], secrets: [], maxBytes };
  }
  const registries = preset === 'custom' ? [] : host.registries.hosts;
  return {
    hosts: [...new Set([...registries, ...spec.hosts])],
    // A registry mirror may be in a private network, since this host's own configuration names it.
    privateHosts: [...registries, ...host.privateHosts],
    readOnlyOrigins: preset === 'codehost' ? originOf(host.repositoryUrl) : [],
    secrets: [...(host.secrets ?? [])],
    maxBytes,
  };
}

function originOf(repositoryUrl: string): string[] {
  if (!/^https:/i.test(repositoryUrl) || !URL.canParse(repositoryUrl)) return [];
  return [new URL(repositoryUrl).origin];
}

/**
 * Environment by which programs in a container find the proxy and this host's registries. Programs
 * on the container's own loopback are reached without it.
 */
export function egressEnvironment(
  policy: EgressPolicy,
  registries: Registries,
  proxyUrl = `http://127.0.0.1:${SHIM_PORT}`,
): Record<string, string> {
  const direct = 'localhost,127.0.0.1,::1';
  const proxies = ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY'];
  return {
    ...Object.fromEntries(proxies.map((name) => [name, proxyUrl])),
    no_proxy: direct,
    NO_PROXY: direct,
    NODE_USE_ENV_PROXY: '1',
    ...npmEnvironment(registries.npm, policy),
    ...indexEnvironment(registries.pip, policy),
    ...gitEnvironment([...policy.readOnlyOrigins, ...secretOrigins(policy)]),
  };
}

/** Also set when the registry is refused, so that the refusal names it. */
function npmEnvironment(npm: string | undefined, policy: EgressPolicy): Record<string, string> {
  if (npm === undefined) return {};
  const inside = asSeenInside(npm, policy);
  return {
    npm_config_registry: inside,
    // Metadata of such a registry contains an address that differs inside.
    ...(inside === npm ? {} : { npm_config_replace_registry_host: 'always' }),
  };
}

function indexEnvironment(pip: string | undefined, policy: EgressPolicy): Record<string, string> {
  if (pip === undefined) return {};
  const inside = asSeenInside(pip, policy);
  return {
    PIP_INDEX_URL: inside,
    ...(inside === pip ? {} : { PIP_TRUSTED_HOST: new URL(inside).hostname }),
  };
}

/**
 * An address as seen inside: the container has its own loopback, so this host's has another name
 * there. A host that gets a secret is requested without TLS, which the proxy adds.
 */
function asSeenInside(address: string, policy: EgressPolicy): string {
  if (secretOrigins(policy).includes(new URL(address).origin)) {
    return address.replace(/^https:/i, 'http:');
  }
  const url = new URL(address);
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (isLoopback && url.protocol === 'http:') url.hostname = RUNNER_ALIAS;
  return url.href;
}

/** Origins, as `https://host`, to which the proxy adds a secret. */
function secretOrigins({ secrets }: EgressPolicy): string[] {
  const hosts = secrets.flatMap((secret) => secret.hosts);
  return [...new Set(hosts.map((host) => new URL(`https://${host}`).origin))];
}

/** Makes git request these hosts in plain text through the proxy, which adds TLS and secrets. */
function gitEnvironment(origins: readonly string[]): Record<string, string> {
  const rules = [...new Set(origins)].filter((origin) => origin.startsWith('https:'));
  if (rules.length === 0) return {};
  const pairs = rules.flatMap((origin, index) => [
    [`GIT_CONFIG_KEY_${index}`, `url.http://${new URL(origin).host}/.insteadOf`],
    [`GIT_CONFIG_VALUE_${index}`, `${origin}/`],
  ]);
  return { ...Object.fromEntries(pairs), GIT_CONFIG_COUNT: String(rules.length) };
}
