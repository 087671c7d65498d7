import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownImages } from '../support/compose/own-images.ts';
import { repositoryRoot } from '../support/e2e/start-service.ts';
import { until } from '../support/e2e/until.ts';
import { podOf, type PodSpec } from '../support/install/kubernetes-manifests.ts';
import { docker, type Pod, type PodPlace, runPod } from '../support/install/run-pod.ts';

const IMAGES_TIMEOUT_MS = 900_000;
const TEST_TIMEOUT_MS = 180_000;
const SCRIPT_TIMEOUT_MS = 30_000;
const READY_TIMEOUT_MS = 90_000;

/** What the manifests start, on Docker: nothing here schedules, and no Service chooses a pod. */
describe('the containers of the Kubernetes manifests', () => {
  const id = `sy-install-${randomBytes(4).toString('hex')}`;
  const containers: string[] = [];
  let folder: string;
  let images: string;
  let tag: string;
  let planes: Pod[];

  function start(workload: string, spec: PodSpec, more: Partial<PodPlace> = {}): Promise<Pod> {
    const name = `${id}-${containers.length}`;
    containers.push(name);
    return runPod(spec, {
      name,
      network: id,
      image: `${images}${workload}:${tag}`,
      secretsFolder: join(folder, 'secrets'),
      ...more,
    });
  }

  const ready = (pod: Pod, what: string) =>
    until(() => pod.probe('readinessProbe'), Boolean, { what, timeoutMs: READY_TIMEOUT_MS });

  beforeAll(async () => {
    ({ images, tag } = await ownImages());
    folder = await mkdtemp(join(tmpdir(), 'swy-pods-'));
    const script = join(repositoryRoot, 'docs/install/make-secrets.sh');
    await promisify(execFile)('sh', [script, join(folder, 'secrets')], {
      timeout: SCRIPT_TIMEOUT_MS,
    });
    await docker(['network', 'create', id]);
    await docker(['volume', 'create', id]);
    const alias = 'switchyard-database';
    const database = await start('database', podOf(alias), { alias, volumes: { data: id } });
    await ready(database, 'the libSQL server');
  }, IMAGES_TIMEOUT_MS);
  afterAll(async () => {
    for (const name of containers)
      await docker(['rm', '--force', '--volumes', name]).catch(() => '');
    await docker(['network', 'rm', id]).catch(() => '');
    await docker(['volume', 'rm', id]).catch(() => '');
    await rm(folder, { recursive: true, force: true });
  });

  it(
    'two control planes live on one database, one is ready, and the other is once that is killed',
    async () => {
      const spec = podOf('switchyard-control-plane');
      planes = [await start('control-plane', spec), await start('control-plane', spec)];
      const probes = (which: 'livenessProbe' | 'readinessProbe') =>
        Promise.all(planes.map((plane) => plane.probe(which)));
      const counted = (found: boolean[]) => found.filter(Boolean).length;
      const wait = { what: 'two that live', timeoutMs: READY_TIMEOUT_MS };
      await until(
        () => probes('livenessProbe'),
        (found) => counted(found) === 2,
        wait,
      );
      const [first] = await until(
        () => probes('readinessProbe'),
        (found) => counted(found) === 1,
        { what: 'one that is ready', timeoutMs: READY_TIMEOUT_MS },
      );
      const [leader, standby] = first === true ? planes : planes.toReversed();
      await leader?.kill();
      if (standby !== undefined) await ready(standby, 'the standby after the leader was killed');
      expect(counted(await probes('readinessProbe'))).toBe(1);
    },
    TEST_TIMEOUT_MS,
  );

  it(
    'a runner joins the ready one with the token of the secret, and its probe succeeds',
    async () => {
      const found = await Promise.all(planes.map((plane) => plane.probe('readinessProbe')));
      const leader = planes[found.indexOf(true)];
      const spec = podOf('switchyard-runner');
      const data = join(folder, 'data');
      await mkdir(data, { mode: 0o777 });
      const { runAsUser, runAsGroup } = spec.securityContext;
      if (process.getuid?.() === 0) await chown(data, runAsUser, runAsGroup);
      const socket = new URL(process.env['DOCKER_HOST'] ?? 'unix:///var/run/docker.sock').pathname;
      const runner = await start('runner', onThisHost(spec, data, socket), {
        supplementalGroup: (await stat(socket)).gid,
        // A cluster's Service sends it to whichever pod is ready.
        hosts: { switchyard: leader?.address ?? '' },
      });
      const joined = () => docker(['logs', runner.container]);
      const wait = { what: 'the runner joined', timeoutMs: READY_TIMEOUT_MS };
      await until(joined, (text) => text.includes('runner ready'), wait);
      expect(await runner.probe('livenessProbe')).toBe(true);
    },
    TEST_TIMEOUT_MS,
  );
});

/** The same with a temporary folder, still under one path inside and outside, and this daemon. */
function onThisHost(spec: PodSpec, data: string, socket: string): PodSpec {
  const from = '/var/lib/switchyard-runner';
  const moved = JSON.parse(JSON.stringify(spec).replaceAll(from, data)) as PodSpec;
  for (const volume of moved.volumes) {
    if (volume.hostPath?.type === 'Socket') volume.hostPath.path = socket;
  }
  return moved;
}
