import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { HostRule } from '@switchyard/shared/sandbox/host-rule';

const ASK_TIMEOUT_MS = 15_000;
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;
const MAX_FILE_BYTES = 1024 * 1024;

/**
 * Registries configured for this host's package managers. There is no built-in list, so mirrors
 * simply work.
 */
export type Registries = {
  /** Host rules with ports. */
  hosts: string[];
  /** Base addresses for a container's package managers; undefined: their own default. */
  npm: string | undefined;
  pip: string | undefined;
};

/**
 * Queries npm, pip and apt, and reads cargo's files. A missing tool adds nothing. Takes up to 30 s;
 * never throws. User and password are removed from addresses.
 */
export async function readRegistries(env: NodeJS.ProcessEnv = process.env): Promise<Registries> {
  const [npm, pip, cargo, apt] = await Promise.all([
    npmRegistries(env),
    pipIndexes(env),
    cargoRegistries(env),
    aptSites(env),
  ]);
  const urls = [...npm, ...pip, ...cargo, ...apt].flatMap(usableUrl);
  return {
    hosts: [...new Set(urls.map(hostRuleOf))].filter((rule) => HostRule.safeParse(rule).success),
    npm: npm.flatMap(usableUrl)[0]?.href,
    pip: pip.flatMap(usableUrl)[0]?.href,
  };
}

async function ask(file: string, args: string[], env: NodeJS.ProcessEnv): Promise<string> {
  const options = { env, cwd: '/', timeout: ASK_TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES };
  try {
    return (await promisify(execFile)(file, args, options)).stdout;
  } catch {
    // Not installed, or failed: it adds no host.
    return '';
  }
}

async function read(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.length > MAX_FILE_BYTES ? '' : text;
}

/**
 * npm's registries, the default first, then those of scopes. npm hides credentials in this output.
 */
async function npmRegistries(env: NodeJS.ProcessEnv): Promise<string[]> {
  const text = await ask('npm', ['config', 'list', '--long', '--json'], env);
  const found = /\{[\s\S]*\}/.exec(text)?.[0];
  if (found === undefined) return [];
  try {
    const settings: Record<string, unknown> = JSON.parse(found);
    const scoped = Object.entries(settings).filter(([key]) => /^@[^:]+:registry$/.test(key));
    return [settings['registry'], ...scoped.map(([, value]) => value)].filter(
      (value) => typeof value === 'string',
    );
  } catch {
    return [];
  }
}

/** pip's configured indexes, or, if there are none, its default, which its help shows. */
async function pipIndexes(env: NodeJS.ProcessEnv): Promise<string[]> {
  const listed = await ask('pip', ['config', 'list', '--disable-pip-version-check'], env);
  const lines = listed.split('\n').filter((line) => /index-url|find-links/.test(line));
  const configured = lines.flatMap(urlsIn);
  const fromEnvironment = [env['PIP_INDEX_URL'], env['PIP_EXTRA_INDEX_URL']].flatMap((text) =>
    urlsIn(text ?? ''),
  );
  if (configured.length + fromEnvironment.length > 0) return [...fromEnvironment, ...configured];
  const help = await ask('pip', ['install', '--help'], env);
  return urlsIn(/index-url[^(]*\(default\s+([^)]*)\)/.exec(help)?.[1] ?? '');
}

async function cargoRegistries(env: NodeJS.ProcessEnv): Promise<string[]> {
  const home = env['CARGO_HOME'] ?? join(env['HOME'] ?? homedir(), '.cargo');
  const texts = await Promise.all(['config.toml', 'config'].map((name) => read(join(home, name))));
  const lines = texts
    .join('\n')
    .split('\n')
    .filter((line) => /^\s*(registry|index|replace-with)\s*=/.test(line));
  const named = Object.entries(env).filter(([key]) => /^CARGO_REGISTRIES_.*_INDEX$/.test(key));
  return [...lines, ...named.map(([, value]) => value ?? '')].flatMap(urlsIn);
}

async function aptSites(env: NodeJS.ProcessEnv): Promise<string[]> {
  return urlsIn(await ask('apt-get', ['indextargets', '--format', '$(SITE)'], env));
}

function urlsIn(text: string): string[] {
  return text.match(/https?:\/\/[^\s'",\]]+/g) ?? [];
}

function usableUrl(text: string): URL[] {
  const found = URL.canParse(text) ? new URL(text) : null;
  if (found === null || !/^https?:$/.test(found.protocol)) return [];
  found.username = '';
  found.password = '';
  return [found];
}

function hostRuleOf(url: URL): string {
  return `${url.hostname}:${url.port || (url.protocol === 'https:' ? 443 : 80)}`;
}
