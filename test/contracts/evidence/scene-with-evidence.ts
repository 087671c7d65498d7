import { createHash } from 'node:crypto';
import type { AttemptEvidence } from '@switchyard/shared/api/attempt-evidence';
import type { IssuePullRequest } from '@switchyard/shared/api/work/pull-request';
import { expect } from 'vitest';
import { callCore } from '../../support/core/call-core.ts';
import { DELIVERY, type Lease } from '../../support/core/scripted-runner.ts';
import type { MakeWorld } from '../describe-runner-protocol.ts';
import { type RunningScene, sceneWithRunner } from '../runner-protocol/scene.ts';

const ROUTE = { prefix: 'SY', url: 'file:///srv/repositories/shop' };
export const EVIDENCE = { scope: ['src/**', 'docs/*.md'], artifacts: 'test-results' };
export const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0xff]);

/** An attempt under a lease; its repository declares a scope and a folder for files. */
export async function sceneWithEvidence(
  make: MakeWorld,
  route: Record<string, unknown> = EVIDENCE,
): Promise<RunningScene> {
  const repos = JSON.stringify([{ ...ROUTE, ...route }]);
  const scene = await sceneWithRunner(make, { variables: { SERVICE_CONFIG__repos: repos } });
  const identifier = await scene.world.createIssue();
  await scene.world.tick();
  const lease = await scene.runner.accept(scene.runner.offer());
  await scene.world.tick();
  return { ...scene, identifier, lease };
}

const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex');

/** A file as the runner tells of it; `bytes` are not stored yet. */
export function file(
  { attemptId, epoch }: Lease,
  path: string,
  bytes: Uint8Array | string,
  type: string,
) {
  const hash = sha256(bytes);
  return {
    path,
    type,
    sha256: hash,
    bytes: Buffer.byteLength(bytes),
    blob: `attempts/${attemptId}/${epoch}/artifact-${hash.slice(0, 32)}`,
  };
}
export type StoredFile = ReturnType<typeof file>;

/** The event of a runner that tells which files are there. */
export const artifactsEvent = (files: StoredFile[], leftOut = 0) => ({
  kind: 'artifacts',
  payload: { files, leftOut },
});

/** Stores a file and gives what is artifactsEvent of it. */
export async function upload(
  { world, lease }: RunningScene,
  path: string,
  bytes: Uint8Array<ArrayBuffer> | string,
  type = 'text/plain',
): Promise<StoredFile> {
  const stored = file(lease, path, bytes, type);
  const answer = await world.core.app.request(`/api/v1/runners/blobs/${stored.blob.slice(9)}`, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${lease.token}` },
    body: bytes,
  });
  expect(answer.status).toBe(201);
  return stored;
}

export async function evidenceOf({ world, lease }: RunningScene): Promise<AttemptEvidence> {
  const path = `/api/v1/attempts/${lease.attemptId}/evidence`;
  const { status, body } = await callCore(world, 'GET', path);
  expect(status).toBe(200);
  return body;
}

export async function get(
  { world }: RunningScene,
  path: string,
  headers: Record<string, string> = {},
) {
  const request = { headers: { Host: '127.0.0.1:4000', ...headers } };
  return world.core.app.request(`http://127.0.0.1:4000${path}`, request, {
    remoteAddress: '127.0.0.1',
  });
}

export const urlOf = ({ lease }: RunningScene, { sha256: hash }: StoredFile) =>
  `/api/v1/attempts/${lease.attemptId}/artifacts/${hash}`;

/** Of the pull request that was opened. */
export async function bodyOf({ world, identifier }: RunningScene): Promise<string> {
  const { body } = await callCore(world, 'GET', `/api/v1/${identifier}/pull-request`);
  return (body as IssuePullRequest).pullRequest.body;
}

export async function deliver(scene: RunningScene, more: object = {}): Promise<void> {
  const delivery = { ...DELIVERY, ...more };
  await scene.runner.finish(scene.lease, { marker: 'DONE', delivery });
  await scene.world.tick();
  expect(await scene.world.issue(scene.identifier)).toMatchObject({ status: 'completed' });
}
