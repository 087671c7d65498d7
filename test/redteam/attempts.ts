import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReadyScript } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { exec, say } from '../../control-plane/scripted-provider/step.ts';
import type { Bench } from '../support/e2e/start-bench.ts';
import type { World } from './world.ts';

const STEP_MS = 150_000;
/** Its wait for a free slot included. */
const SETTLE_MS = 480_000;
/** Of one attack where its guard is missing: a busy machine may take long, and it must succeed. */
export const CONTROL_PATIENCE_MS = 90_000;

/** What became of one attempt: what its agent saw, and its events as `kind {payload}`. */
export type Attempt = {
  issue: string;
  attemptId: string;
  status: string;
  seen: string;
  events: string[];
};

/** An agent that runs commands one after the other and then says its word. */
export function runs(commands: () => readonly string[], lastWord: string): ReadyScript {
  return ({ stepIndex }) => {
    const command = commands()[stepIndex];
    return command === undefined ? say(lastWord) : exec(command, STEP_MS);
  };
}

/** One issue with the scripted agent of that name, to its end. */
export async function runAttempt({ client, provider }: Bench, name: string): Promise<Attempt> {
  const { identifier } = await client.createIssue({ title: `case:${name}` });
  const { status, attempts } = await client.settled(identifier, SETTLE_MS);
  const attemptId = attempts[0]?.attemptId ?? '';
  const { events } = await client.attempt(attemptId);
  const asked = provider.requests.filter(({ userTexts }) => userTexts.join().includes(identifier));
  const told = events.flatMap(({ data }) =>
    typeof data['kind'] === 'string' ? [`${data['kind']} ${JSON.stringify(data['payload'])}`] : [],
  );
  const seen = asked.at(-1)?.toolOutputs.join('\n') ?? '';
  return { issue: identifier, attemptId, status, seen, events: told };
}

/** Where the workspace of an attempt lies on the host. */
export function workspaceOf(attempt: Attempt): string {
  const found = attempt.events.map((text) => /^workspace .*"path":"([^"]+)"/.exec(text)?.[1]);
  return found.find((path) => path !== undefined) ?? '';
}

/** What the script inside is told to aim at. `unguarded` is where the same things are within reach. */
export async function aimAt(
  world: World,
  bench: Bench,
): Promise<{ guarded: Record<string, unknown>; unguarded: Record<string, unknown> }> {
  const { folder, canary } = world;
  const at = (name: string): string => join(folder, name);
  const [hostFile, otherFile, objectFile, deadlineFile, otherRepository, workspace] = [
    at('host-file'),
    at('other-workspace/notes.txt'),
    at('object'),
    at('deadline'),
    at('other.git'),
    at('workspace'),
  ] as [string, string, string, string, string, string];
  await mkdir(at('other-workspace'));
  for (const path of [hostFile, otherFile, objectFile, deadlineFile])
    await writeFile(path, `${canary}\n`);
  execFileSync('git', ['init', '-q', '--bare', otherRepository]);
  execFileSync('git', ['clone', '-q', bench.repository.url, workspace]);
  execFileSync('git', [
    '-C',
    workspace,
    'config',
    'remote.own.url',
    `https://user:${canary}@git.test/a`,
  ]);
  const guarded = {
    target: world.target,
    target6: world.target6,
    other: world.other,
    metadata: world.metadata,
    metadataNumber: numberOf(world.metadata),
    gateway: world.gateway,
    gatewayPort: world.gatewayPort,
    loopbackPort: world.loopbackPort,
    controlPlanePort: Number(new URL(bench.service.url).port),
    dockerSocket: daemonSocket(),
    hostFile,
    otherFile,
    otherRepository,
    deadlineFile: '/run/switchyard/deadline',
    processes: 150,
    megabytes: 640,
    temporaryMegabytes: 40,
    downloads: 8,
  };
  return {
    guarded,
    unguarded: { ...guarded, objectFile, deadlineFile, workspace, patienceMs: CONTROL_PATIENCE_MS },
  };
}

/** An IPv4 address as one number, as some filters forget to read it. */
function numberOf(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}

/** Where the daemon that this run uses listens. */
export function daemonSocket(): string {
  const host = process.env['DOCKER_HOST'] ?? '';
  return host.startsWith('unix://') ? host.slice('unix://'.length) : '/var/run/docker.sock';
}
