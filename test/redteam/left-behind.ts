import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type Docker from 'dockerode';
import { until } from '../support/e2e/until.ts';

const COMMAND_TIMEOUT_MS = 30_000;
/** A proxy whose folder is gone notices that within 5 s. */
const GONE_MS = 60_000;
const OUR_NAME = /^\/?(swy|switchyard)[-_]/;

/** Something on the daemon or on this machine that a suite may have made. */
export type Thing = { key: string; labels: Readonly<Record<string, string>> };

/**
 * Containers, networks and volumes of ours, firewall rules, and proxies of this machine. Images are
 * not among them: they are kept so that the next run is quick.
 */
export async function thingsOfOurs(docker: Docker): Promise<Thing[]> {
  const containers = await docker.listContainers({ all: true });
  const networks = await docker.listNetworks();
  const { Volumes: volumes } = await docker.listVolumes();
  const onDaemon = [
    ...containers.map(({ Id, Names, Labels }) => thing('container', Id, Names[0] ?? '', Labels)),
    ...networks.map(({ Id, Name, Labels }) => thing('network', Id, Name, Labels ?? {})),
    ...(volumes ?? []).map(({ Name, Labels }) => thing('volume', Name, Name, Labels ?? {})),
  ];
  const others = [...(await firewallRules()), ...(await proxies())];
  return [...onDaemon.filter((one) => one !== null), ...others.map((key) => ({ key, labels: {} }))];
}

function thing(
  kind: string,
  id: string,
  name: string,
  labels: Readonly<Record<string, string>>,
): Thing | null {
  const isOurs = Object.keys(labels).some((label) => label.startsWith('switchyard.'));
  if (!isOurs && !OUR_NAME.test(name)) return null;
  return { key: `${kind} ${name} ${id.slice(0, 12)}`, labels };
}

/** How a suite tells its own things from those of others on the same daemon. */
export type Own = {
  labels: Readonly<Record<string, string>>;
  /** One of them is in each firewall rule and in each proxy's command line of this suite. */
  words: readonly string[];
};

/** Names of what is there, was not there before, and is not some other suite's. */
export async function newSince(
  docker: Docker,
  before: readonly Thing[],
  own: Own,
): Promise<string[]> {
  const known = new Set(before.map(({ key }) => key));
  const found = (await thingsOfOurs(docker)).filter(({ key }) => !known.has(key));
  return found.filter((one) => isOwn(one, own)).map(({ key }) => key);
}

/** The same when what is on its way out has had its time. */
export async function leftBehind(
  docker: Docker,
  before: readonly Thing[],
  own: Own,
): Promise<string[]> {
  let left: string[] = [];
  const gone = until(
    async () => (left = await newSince(docker, before, own)),
    ({ length }) => length === 0,
    { what: 'nothing left behind', timeoutMs: GONE_MS },
  );
  await gone.catch((error: unknown) => {
    if (left.length === 0) throw error;
  });
  return left;
}

function isOwn(one: Thing, own: Own): boolean {
  if (/^(rule|proxy) /.test(one.key)) return own.words.some((word) => one.key.includes(word));
  // Without an owner's label it is nobody else's.
  const owners = Object.entries(one.labels).filter(([label]) => label in own.labels);
  return owners.every(([label, value]) => own.labels[label] === value);
}

/** Empty where they cannot be read, which takes root. */
async function firewallRules(): Promise<string[]> {
  const tables = await Promise.all(
    ['iptables-save', 'ip6tables-save'].map((command) =>
      promisify(execFile)(command, { timeout: COMMAND_TIMEOUT_MS }).then(
        ({ stdout }) => stdout,
        () => '',
      ),
    ),
  );
  const rules = tables.join('\n').split('\n');
  return rules.filter((line) => line.startsWith('-')).map((rule) => `rule ${rule}`);
}

async function proxies(): Promise<string[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    pids.map(async (pid) => {
      const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      return /(runner\/src\/egress\/main\.ts|lib\/egress-proxy\.js)\0/.test(words)
        ? [`proxy ${pid} ${words.replaceAll('\0', ' ').trim()}`]
        : [];
    }),
  );
  return lines.flat();
}
