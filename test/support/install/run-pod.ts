import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { PodSpec } from './kubernetes-manifests.ts';

const run = promisify(execFile);
const DOCKER_TIMEOUT_MS = 60_000;
const PROBE_TIMEOUT_MS = 20_000;

export type Pod = {
  container: string;
  address: string;
  /** Whether a probe of the manifest succeeds now; false while it has none to ask. */
  probe(which: 'livenessProbe' | 'readinessProbe'): Promise<boolean>;
  kill(): Promise<void>;
};

export type PodPlace = {
  /** Name of the container, and of the Docker network that it is put into. */
  name: string;
  network: string;
  /** What the cluster would replace: the image, and what stands for volumes. */
  image: string;
  secretsFolder: string;
  /** Docker volumes for volumes that outlive a pod, by their names in the manifest. */
  volumes?: Readonly<Record<string, string>>;
  /** Name of the Service in front of it. */
  alias?: string;
  supplementalGroup?: number;
  /** Addresses of Services by their names, where no Service is. */
  hosts?: Readonly<Record<string, string>>;
};

/**
 * Starts the container of a manifest on Docker as a node would: same user and groups, variables,
 * arguments, mounts, read-only root, no capability, no new privileges.
 */
export async function runPod(spec: PodSpec, place: PodPlace): Promise<Pod> {
  const [container] = spec.containers;
  if (container === undefined) throw new Error('the manifest has no container');
  const { runAsUser, runAsGroup, supplementalGroups = [] } = spec.securityContext;
  const { capabilities, readOnlyRootFilesystem } = container.securityContext;
  const groups =
    place.supplementalGroup === undefined ? supplementalGroups : [place.supplementalGroup];
  const words = [
    'run',
    '--detach',
    '--name',
    place.name,
    '--network',
    place.network,
    ...(place.alias === undefined ? [] : ['--network-alias', place.alias]),
    ...Object.entries(place.hosts ?? {}).flatMap(([name, ip]) => ['--add-host', `${name}:${ip}`]),
    '--user',
    `${runAsUser}:${runAsGroup}`,
    ...groups.flatMap((group) => ['--group-add', String(group)]),
    ...(readOnlyRootFilesystem ? ['--read-only'] : []),
    ...capabilities.drop.flatMap((capability) => ['--cap-drop', capability]),
    '--security-opt',
    'no-new-privileges',
    ...container.env.flatMap(({ name, value }) => ['--env', `${name}=${value}`]),
    ...container.volumeMounts.flatMap((mount) => mountWords(spec, mount, place)),
    place.image,
    ...(container.args ?? []),
  ];
  await docker(words);
  const format = '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}';
  const address = await docker(['inspect', '--format', format, place.name]);
  return {
    container: place.name,
    address,
    async probe(which) {
      const { httpGet, exec } = container[which] ?? {};
      if (exec !== undefined) return succeeds(['exec', place.name, ...exec.command]);
      if (httpGet === undefined) return false;
      const port = container.ports.find(({ name }) => name === httpGet.port)?.containerPort;
      const url = `http://${address}:${port}${httpGet.path}`;
      return fetch(url, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) }).then(
        ({ ok }) => ok,
        () => false,
      );
    },
    kill: () => docker(['kill', place.name]).then(() => undefined),
  };
}

type Mount = PodSpec['containers'][number]['volumeMounts'][number];

function mountWords(
  spec: PodSpec,
  { name, mountPath, readOnly }: Mount,
  place: PodPlace,
): string[] {
  const volume = spec.volumes.find((one) => one.name === name);
  const mode = readOnly === true ? ':ro' : '';
  if (volume?.secret !== undefined) {
    return volume.secret.items.flatMap(({ key, path }) => [
      '--volume',
      `${join(place.secretsFolder, key)}:${join(mountPath, path)}${mode}`,
    ]);
  }
  if (volume?.hostPath !== undefined)
    return ['--volume', `${volume.hostPath.path}:${mountPath}${mode}`];
  const kept = place.volumes?.[name];
  if (kept !== undefined) return ['--volume', `${kept}:${mountPath}${mode}`];
  // An empty folder that the pod's group may write, as a cluster makes it.
  const { runAsUser, runAsGroup } = spec.securityContext;
  return ['--tmpfs', `${mountPath}:mode=0770,uid=${runAsUser},gid=${runAsGroup}`];
}

/** Standard output of a Docker command; throws with what it said when it fails. */
export async function docker(words: readonly string[]): Promise<string> {
  const { stdout } = await run('docker', words, { timeout: DOCKER_TIMEOUT_MS });
  return stdout.trim();
}

function succeeds(words: readonly string[]): Promise<boolean> {
  return run('docker', words, { timeout: PROBE_TIMEOUT_MS }).then(
    () => true,
    () => false,
  );
}
