import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { repositoryRoot } from '../e2e/start-service.ts';

const manifestsFolder = join(repositoryRoot, 'docs/install/kubernetes');

const Probe = z.looseObject({
  httpGet: z.object({ path: z.string(), port: z.string() }).optional(),
  exec: z.object({ command: z.array(z.string()) }).optional(),
});
const Container = z.looseObject({
  name: z.string(),
  image: z.string(),
  args: z.array(z.string()).optional(),
  env: z.array(z.object({ name: z.string(), value: z.string() })).default([]),
  ports: z.array(z.object({ name: z.string(), containerPort: z.int() })).default([]),
  startupProbe: Probe.optional(),
  livenessProbe: Probe.optional(),
  readinessProbe: Probe.optional(),
  securityContext: z.object({
    allowPrivilegeEscalation: z.boolean(),
    readOnlyRootFilesystem: z.boolean(),
    capabilities: z.object({ drop: z.array(z.string()) }),
  }),
  volumeMounts: z.array(
    z.object({ name: z.string(), mountPath: z.string(), readOnly: z.boolean().optional() }),
  ),
});
const Volume = z.looseObject({
  name: z.string(),
  emptyDir: z.unknown().optional(),
  hostPath: z.object({ path: z.string(), type: z.string() }).optional(),
  secret: z
    .looseObject({ items: z.array(z.object({ key: z.string(), path: z.string() })) })
    .optional(),
});
export const PodSpec = z.looseObject({
  securityContext: z.looseObject({
    runAsUser: z.int(),
    runAsGroup: z.int(),
    runAsNonRoot: z.literal(true),
    supplementalGroups: z.array(z.int()).optional(),
  }),
  containers: z.array(Container).length(1),
  volumes: z.array(Volume),
});
export type PodSpec = z.infer<typeof PodSpec>;

const Manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
});
export type Manifest = z.infer<typeof Manifest>;

/** All objects of the manifests, with the file that each is in. */
export function readManifests(): { file: string; manifest: Manifest }[] {
  return readdirSync(manifestsFolder).flatMap((file) =>
    parseAllDocuments(readFileSync(join(manifestsFolder, file), 'utf8')).map((document) => ({
      file,
      manifest: Manifest.parse(document.toJS()),
    })),
  );
}

/** What a Deployment or StatefulSet of this name starts. */
export function podOf(name: string): PodSpec {
  const workloads = readManifests().filter(({ manifest: { kind } }) =>
    /Set$|^Deployment$/.test(kind),
  );
  const found = workloads.find(({ manifest }) => manifest.metadata.name === name)?.manifest;
  const template = z.object({ spec: z.object({ template: z.object({ spec: PodSpec }) }) });
  return template.parse(found).spec.template.spec;
}
