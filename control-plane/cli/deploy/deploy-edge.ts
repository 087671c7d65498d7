import { cutText } from '@switchyard/shared/text/cut-text';
import { messageOf } from '@switchyard/shared/message-of';
import { z } from 'zod';
import { DataEndpoint } from '../data/data-endpoint.ts';
import { migrateEndpoint } from '../data/migrate-endpoint.ts';
import { recordVersion } from '../../src/db/record-version.ts';
import { migrationsFolder, ownVersion } from '../../src/platform/node/backup/migration-state.ts';
import { upgradeMessage } from '../../src/platform/node/backup/upgrade-message.ts';
import { type Bundle, measureBundle } from './measure-bundle.ts';
import { type EdgeSettings, workerSecrets } from './edge-settings.ts';
import { runWrangler, type Wrangler } from './run-wrangler.ts';
import { withStagedWorker } from './with-staged-worker.ts';

/** How long a new address is polled, since it cannot be resolved everywhere at once. */
const ANSWER_TIMEOUT_MS = 90_000;
const POLL_MS = 2_000;
const REQUEST_TIMEOUT_MS = 10_000;
/** Keeps variables that were set in Cloudflare's dashboard, which an upload deletes by default. */
const KEEP_VARIABLES = '--keep-vars';
const JoinToken = z.object({ token: z.string() });

export type DeployInput = {
  settings: EdgeSettings;
  openReads: boolean;
  /** Flags for wrangler: another name, a number of pools. */
  flags: { name: string | undefined; pools: number | undefined };
  wrangler: Wrangler;
  /** Folder of the package, or of a checkout's build. */
  product: string;
  say: (line: string) => void;
};

export type Deployed = {
  url: string;
  bundle: Bundle;
  /** Null when the Worker did not respond in time. */
  joinToken: string | null;
};

export function wranglerFlags({ name, pools }: DeployInput['flags']): string[] {
  return [
    ...(name === undefined ? [] : ['--name', name]),
    ...(pools === undefined ? [] : ['--var', `SERVICE_RUNNER_POOLS:${pools}`]),
  ];
}

/**
 * Migrates the database to this version, uploads the Worker, sets its secrets through standard
 * input and requests a first join token from it. Can be repeated; an error names the failed step.
 * The order keeps an older Worker working, since migrations only add.
 */
export async function deployEdge(input: DeployInput): Promise<Deployed> {
  return withStagedWorker(input.product, (folder) => deployFrom(folder, input));
}

/**
 * Only uploads the Worker, for a build at Cloudflare: the Worker's secrets are set there, and a
 * build cannot read them. Returns its address.
 */
export async function uploadEdge(
  input: Pick<DeployInput, 'flags' | 'wrangler' | 'product' | 'say'>,
): Promise<{ url: string; bundle: Bundle }> {
  return withStagedWorker(input.product, async (folder) => {
    const bundle = await measureBundle(
      { wrangler: input.wrangler, folder },
      wranglerFlags(input.flags),
    );
    input.say(`the Worker has ${kib(bundle.gzipBytes)} after gzip`);
    return { url: await upload(folder, input), bundle };
  });
}

/** Migrates the database of a Worker to this version and prints the result. Can be repeated. */
export async function migrateEdge(
  settings: EdgeSettings,
  say: (line: string) => void,
): Promise<void> {
  const { SERVICE_DATABASE_URL: url = '', SERVICE_DATABASE_TOKEN: token } = settings;
  const endpoint = new DataEndpoint(url, token === '' ? undefined : token);
  try {
    const former = await migrateEndpoint(endpoint, migrationsFolder);
    await recordVersion(endpoint.db, Date.now(), ownVersion());
    const message = upgradeMessage(former, `the database at ${endpoint.name}`, 'server');
    if (message !== null) say(message);
  } finally {
    endpoint.close();
  }
}

async function deployFrom(folder: string, input: DeployInput): Promise<Deployed> {
  const { settings, wrangler, say } = input;
  const stage = { wrangler, folder };
  const flags = wranglerFlags(input.flags);
  const bundle = await measureBundle(stage, flags);
  say(`the Worker has ${kib(bundle.gzipBytes)} after gzip`);
  say('bringing the database to this version');
  await migrateEdge(settings, say);
  const url = await upload(folder, input);
  say('setting its secrets');
  const named = input.flags.name === undefined ? [] : ['--name', input.flags.name];
  const secrets = JSON.stringify(workerSecrets(settings, input));
  await runWrangler(stage, ['secret', 'bulk', ...named], secrets);
  return { url, bundle, joinToken: await firstJoinToken(url, settings, say) };
}

export function kib(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KiB`;
}

async function upload(
  folder: string,
  { flags, wrangler, say }: Pick<DeployInput, 'flags' | 'wrangler' | 'say'>,
): Promise<string> {
  say('uploading the Worker and the dashboard');
  const written = await runWrangler({ wrangler, folder }, [
    'deploy',
    KEEP_VARIABLES,
    ...wranglerFlags(flags),
  ]);
  const url = /https?:\/\/[^\s]+/.exec(addressLines(written))?.[0];
  if (url === undefined) throw new Error(`wrangler named no address:\n${written}`);
  return url;
}

/** Output lines with the Worker's address, without those of its documentation. */
function addressLines(written: string): string {
  return written
    .split('\n')
    .filter((line) => /^\s*https?:\/\/\S+\s*$/.test(line))
    .join('\n');
}

async function firstJoinToken(
  url: string,
  settings: EdgeSettings,
  say: (line: string) => void,
): Promise<string | null> {
  say(`waiting for ${url}`);
  const endMs = performance.now() + ANSWER_TIMEOUT_MS;
  let why = '';
  do {
    try {
      const response = await fetch(`${url}/api/v1/runners/tokens`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${settings['SERVICE_WRITE_TOKEN'] ?? ''}`,
          'content-type': 'application/json',
          'x-service-source': 'CLI',
        },
        body: '{}',
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      });
      const text = await response.text();
      if (response.ok) return JoinToken.parse(JSON.parse(text)).token;
      why = `${response.status} ${cutText(text, 200)}`;
    } catch (error) {
      why = messageOf(error);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  } while (performance.now() < endMs);
  say(`it does not answer yet: ${why}`);
  return null;
}
