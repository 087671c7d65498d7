import { randomBytes } from 'node:crypto';
import { chmod, mkdir, open, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import Database from 'libsql';
import { expect } from 'vitest';
import { defaultSandboxImage } from '../../runner/src/container/docker/image/default-sandbox-image.ts';
import type { Bench } from '../support/e2e/start-bench.ts';
import { until } from '../support/e2e/until.ts';
import { type Attempt, runAttempt } from './attempts.ts';
import type { Row } from './table.ts';
import { labelsOf, type World } from './world.ts';

const SWAPPER = fileURLToPath(
  new URL('../../runner/src/agent-files/testing/swap-paths.mjs', import.meta.url),
);
const SESSIONS = '/var/lib/switchyard/home/codex/sessions';
const SETTLE_MS = 120_000;
const CARELESS_MS = 30_000;

/** A file of this host that only root may read; answers where it is and what it says. */
export async function plantHostFile(world: World): Promise<{ path: string; secret: string }> {
  const path = join(world.folder, 'master.key');
  const secret = `swyhost-${randomBytes(12).toString('hex')}`;
  await writeFile(path, secret, { mode: 0o600 });
  return { path, secret };
}

/**
 * Shows what came with the session, then begins to swap files that carry the thread's name for
 * links to a file of the host, and goes on with that after the turn.
 */
export async function swapCommand(hostFile: string): Promise<string> {
  const script = Buffer.from(await readFile(SWAPPER)).toString('base64');
  return [
    `cat ${SESSIONS}/evil/*/* 2>/dev/null | sort | uniq -c`,
    `name=$(find ${SESSIONS} -name 'rollout-*.jsonl' | head -n 1)`,
    `[ -e /tmp/swap.mjs ] || { echo ${script} | base64 -d > /tmp/swap.mjs; ` +
      `setsid node /tmp/swap.mjs ${SESSIONS}/evil "evil-\${name##*/}" ${hostFile} >/tmp/swap.out 2>&1 & }`,
    'sleep 1; cat /tmp/swap.out',
  ].join('; ');
}

/** What the agent swaps reaches neither a stored session nor the next attempt; honest words do. */
export async function trySwapping(
  world: World,
  bench: Bench,
  host: { path: string; secret: string },
): Promise<Row> {
  const first = await runAttempt(bench, 'sessions');
  expect(first.seen, 'the attack is made').toContain('swapping');
  const [second, issue] = await again(bench, first);
  expect(issue.attempts[0]?.threadId, 'the thread goes on').toBe(issue.attempts[1]?.threadId);
  expect(second, 'what the agent really wrote comes with it').toContain('honest');
  expect(first.seen + second).not.toContain(host.secret);
  const sessions = await storedSessions(bench);
  const mine = sessions.filter((text) => text.includes('case:sessions'));
  expect(mine.length, 'honest sessions are stored').toBeGreaterThan(0);
  expect(sessions.filter((text) => text.includes(host.secret))).toEqual([]);
  expect(await carelessHost(world, host), 'the control run').toContain(host.secret);
  return {
    attempt: 'session file swapped for a link',
    stoppedBy: 'a container of its own that reads',
    event: 'checkpoint',
    control: 'succeeded',
  };
}

/** Lets the issue of an attempt be worked on once more; answers what its agent saw then. */
async function again({ client, provider }: Bench, { issue: identifier }: Attempt) {
  await client.must('POST', `/${identifier}/retry`);
  const resting = new Set(['completed', 'failed', 'blocked']);
  const issue = await client.issueUntil(
    identifier,
    ({ status, attemptCount }) => attemptCount === 2 && resting.has(status),
    'settles again',
    SETTLE_MS,
  );
  const asked = provider.requests.filter(({ userTexts }) => userTexts.join().includes(identifier));
  return [asked.at(-1)?.toolOutputs.join('\n') ?? '', issue] as const;
}

/** Every session that runners stored, with its files' contents in clear. */
async function storedSessions({ folder }: Bench): Promise<string[]> {
  const database = new Database(join(folder, 'data', 'switchyard.db'));
  try {
    const rows = database
      .prepare("select key, bytes from blobs where key like '%/session-%' order by key, part")
      .all() as { key: string; bytes: ArrayBuffer }[];
    const blobs = Map.groupBy(rows, ({ key }) => key);
    return [...blobs.values()].map((parts) => {
      const packed = Buffer.concat(parts.map(({ bytes }) => Buffer.from(bytes)));
      const { files } = JSON.parse(gunzipSync(packed).toString()) as {
        files: { path: string; base64: string }[];
      };
      return files.map(({ base64 }) => Buffer.from(base64, 'base64').toString()).join('\n');
    });
  } finally {
    database.close();
  }
}

/** A host that lists and reads by path where the same agent is at work; answers what it read. */
async function carelessHost(world: World, host: { path: string }): Promise<string> {
  const home = join(world.folder, 'careless-reader');
  await mkdir(home);
  await chmod(home, 0o777);
  const script = join(world.folder, 'swap.mjs');
  await writeFile(script, await readFile(SWAPPER), { mode: 0o644 });
  const container = await world.docker.createContainer({
    Image: defaultSandboxImage,
    Entrypoint: ['node', '/swap.mjs', '/home-of-agent/evil', 'evil-thread.jsonl', host.path],
    User: '0:0',
    Labels: labelsOf(world.id),
    HostConfig: {
      NetworkMode: 'none',
      Binds: [`${script}:/swap.mjs:ro`, `${home}:/home-of-agent`],
    },
  });
  try {
    await container.start();
    return await until(
      () => readCarelessly(join(home, 'evil')),
      (text) => text.includes('swyhost-'),
      { what: 'a careless read', timeoutMs: CARELESS_MS },
    );
  } finally {
    await container.remove({ force: true, v: true });
    await rm(home, { recursive: true, force: true });
  }
}

async function readCarelessly(folder: string): Promise<string> {
  const texts: string[] = [];
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name, 'evil-thread.jsonl');
    const found = await stat(path).catch(() => null);
    const file = found?.isFile() === true ? await open(path).catch(() => null) : null;
    if (file === null) continue;
    texts.push(await file.readFile('utf8'));
    await file.close();
  }
  return texts.join('\n');
}
