import { z } from 'zod';
import {
  connectionTo,
  type CurrentGitHub,
  type GitHubConnection,
} from '../api/github-connections.ts';
import { GitHubError } from '../api/github-error.ts';
import { type RepositoryName, repositoryPath } from '../api/repository-name.ts';
import type { WebhookStatus } from '../../../ports/code-host/code-host.ts';

const RECEIVER = '/webhooks/codehost';
/** Repositories that are probed: a webhook is mostly missing at all of them or at none. */
const MAX_REPOSITORIES = 5;

const Hook = z.object({
  active: z.boolean(),
  config: z.object({ url: z.string().optional() }),
  last_response: z.object({ code: z.int().nullish(), status: z.string().nullish() }).nullish(),
});
type Hook = z.infer<typeof Hook>;
const Delivery = z.object({ status_code: z.int() });
const AppHook = z.object({ url: z.string().nullish() });
const Repository = z.object({ owner: z.object({ type: z.string() }) });

/**
 * Whether GitHub still sends webhooks to this service, as far as the credential can see: an App
 * sees its own webhook, a token those of its repositories. Null when that is unknown. Throws a
 * GitHubError.
 */
export async function checkGitHubWebhook(
  github: CurrentGitHub,
  { repositoryUrls, host }: { repositoryUrls: readonly string[]; host: string | null },
  signal: AbortSignal,
): Promise<WebhookStatus | null> {
  const connection = github();
  if (connection === null) return null;
  const isOurs = (url: string | null | undefined) => leadsHere(url, host);
  if (connection.settings.app !== undefined) return ofApp(connection, isOurs, signal);
  const repositories = repositoryUrls.flatMap((url) => connectionTo(github, url)?.repository ?? []);
  const seen: (WebhookStatus | null)[] = [];
  for (const repository of repositories.slice(0, MAX_REPOSITORIES)) {
    seen.push(await ofRepository(connection, repository, isOurs, signal));
  }
  return (['failed', 'missing', 'ok'] as const).find((status) => seen.includes(status)) ?? null;
}

/** Whether a webhook's url is this service's. `host`: its public host name; null when not known. */
function leadsHere(url: string | null | undefined, host: string | null): boolean {
  if (url === null || url === undefined || !URL.canParse(url)) return false;
  const there = new URL(url);
  return there.pathname.endsWith(RECEIVER) && (host === null || there.host === host);
}

type IsOurs = (url: string | null | undefined) => boolean;

async function ofApp(
  { client, access }: GitHubConnection,
  isOurs: IsOurs,
  signal: AbortSignal,
): Promise<WebhookStatus | null> {
  const auth = access.authorizeApp();
  const { url } = await client.json(AppHook, auth, { path: '/app/hook/config', signal });
  // An App cannot see the webhooks of repositories.
  if (!isOurs(url)) return null;
  const newest = { path: '/app/hook/deliveries?per_page=1', signal };
  const [last] = await client.json(z.array(Delivery), auth, newest);
  return last === undefined || isTaken(last.status_code) ? 'ok' : 'failed';
}

async function ofRepository(
  connection: GitHubConnection,
  repository: RepositoryName,
  isOurs: IsOurs,
  signal: AbortSignal,
): Promise<WebhookStatus | null> {
  const auth = connection.access.authorize(repository);
  const hooksAt = (path: string) =>
    nullIfForbidden(() =>
      connection.client.list(Hook, auth, { path: `${path}?per_page=100`, signal }),
    );
  const root = repositoryPath(repository);
  const own = await hooksAt(`${root}/hooks`);
  const found = own?.filter(({ config }) => isOurs(config.url)) ?? [];
  if (found.length > 0) return statusOf(found);
  const path = root;
  const { owner } = await connection.client.json(Repository, auth, { path, signal });
  if (owner.type !== 'Organization') return own === null ? null : 'missing';
  const shared = await hooksAt(`/orgs/${repository.owner}/hooks`);
  const above = shared?.filter(({ config }) => isOurs(config.url)) ?? [];
  if (above.length > 0) return statusOf(above);
  return own === null || shared === null ? null : 'missing';
}

/** Runs a request; null when the credential lacks the permission. */
async function nullIfForbidden<T>(run: () => Promise<T>): Promise<T | null> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof GitHubError && (error.status === 403 || error.status === 404)) return null;
    throw error;
  }
}

/**
 * Status of the webhooks to this service: one that fails is enough, because its events are lost.
 */
function statusOf(hooks: readonly Hook[]): WebhookStatus {
  const active = hooks.filter((hook) => hook.active);
  if (active.length === 0) return 'missing';
  const isFailing = ({ last_response: last }: Hook) => last?.code != null && !isTaken(last.code);
  return active.some(isFailing) ? 'failed' : 'ok';
}

function isTaken(statusCode: number): boolean {
  return statusCode >= 200 && statusCode < 400;
}
