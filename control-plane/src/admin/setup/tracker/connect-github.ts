import type { ConnectGitHub, GitHubConnected } from '@switchyard/shared/api/admin/setup';
import { secretReference } from '@switchyard/shared/settings/secret-reference';
import { z } from 'zod';
import type { Caller } from '../../../http/caller/caller.ts';
import { acceptSecret } from '../../../config/secrets/accept-secret.ts';
import { AppError } from '../../../errors.ts';
import { GitHubClient } from '../../../integrations/github/api/github-client.ts';
import { GitHubError } from '../../../integrations/github/api/github-error.ts';
import { githubAddresses } from '../../../integrations/github/api/github-settings.ts';
import { GITHUB_TRACKER } from '../../../integrations/github/tracker/github-tracker-settings.ts';
import type { SetupDeps } from '../setup-deps.ts';
import { storeSettings } from '../store-settings.ts';

const GITHUB_TOKEN_SECRET = 'GITHUB_TOKEN';
const User = z.object({ login: z.string() });

/**
 * Configures a token that GitHub accepts for pull requests and, if wanted, for issues; it becomes a
 * secret that the configuration refers to. Throws a 502 with GitHub's message and stores nothing if
 * it is refused.
 */
export async function connectGitHub(
  deps: SetupDeps,
  input: ConnectGitHub & { caller: Caller },
): Promise<GitHubConnected> {
  const { caller, asTracker } = input;
  const token = acceptSecret(input.token);
  const { codehost } = await deps.config.load();
  const endpoint = input.endpoint ?? codehost.github?.endpoint;
  const addresses = githubAddresses({ endpoint, url: codehost.github?.url });
  const login = await askLogin(deps, addresses, token);
  await storeSettings(deps, {
    caller,
    operation: 'github.connect',
    subject: login,
    secrets: [{ key: GITHUB_TOKEN_SECRET, value: token }],
    settings: {
      'codehost.github.token': secretReference(GITHUB_TOKEN_SECRET),
      ...(input.endpoint === undefined ? {} : { 'codehost.github.endpoint': input.endpoint }),
      ...(asTracker ? { 'tracker.kind': GITHUB_TRACKER } : {}),
    },
  });
  return { login, endpoint: addresses.apiBaseUrl, asTracker };
}

async function askLogin(
  deps: SetupDeps,
  addresses: ReturnType<typeof githubAddresses>,
  token: string,
): Promise<string> {
  const none = { draft: false, labels: [], reviewers: [], teamReviewers: [], namedBots: [] };
  const client = new GitHubClient(deps, { ...addresses, ...none, token, app: undefined });
  try {
    return (await client.json(User, async () => `Bearer ${token}`, { path: '/user' })).login;
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    const what = error.category === 'transport' ? 'is out of reach' : 'refused';
    throw new AppError('upstream_failed', `GitHub ${what}: ${error.message}`, {
      reason: `github_${error.category}`,
    });
  }
}
