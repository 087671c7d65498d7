import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import type {
  ConnectProvider,
  ListProviderModels,
  SetupStepName,
} from '@switchyard/shared/api/admin/setup';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { answer, api, at, until } from '../../api/api.ts';
import { showToast } from '../../ui/overlays/toasts.tsx';
import { readQuery } from '../../api/read-query.ts';

/** By this header the audit log distinguishes the wizard's changes. */
const WIZARD = { headers: { 'X-Service-Source': 'wizard' } };

/** Poll interval while the service runs a step's check by itself. */
const WHILE_CHECKED_MS = 2_000;
const LATER_MS = 15_000;

export const setupQuery = queryOptions({
  ...readQuery(['setup'], (end) => api.setup.$get({}, end)),
  refetchInterval: ({ state }) =>
    state.data?.steps.some((step) => step.state === 'waiting') ? WHILE_CHECKED_MS : LATER_MS,
});
export type Setup = Awaited<ReturnType<typeof getSetup>>;
const getSetup = () => answer(api.setup.$get());

/** The check of a step against the upstream; it costs a request, so it runs only on demand. */
export const setupCheckQuery = (step: SetupStepName) =>
  queryOptions({
    queryKey: ['setup-check', step],
    queryFn: async ({ signal, client }) => {
      const found = await answer(api.setup.check.$post({ json: { step } }, until(signal)));
      // The result is now the step's state, here and elsewhere.
      void client.invalidateQueries({ queryKey: ['setup'] });
      if (step === 'repository') void client.invalidateQueries({ queryKey: ['git-context'] });
      return found;
    },
    staleTime: 30_000,
    refetchInterval: false,
    retry: false,
  });

/** Refreshes the settings and the check results of these steps after a change. */
export async function refreshSetup(client: QueryClient, ...steps: SetupStepName[]): Promise<void> {
  const keys = [
    ['setup'],
    ['repo-routes'],
    ['config'],
    // The banner of a trial, which ends when a provider is connected.
    ['runtime'],
    ...steps.map((step) => ['setup-check', step]),
  ];
  await Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })));
}

/**
 * Refreshes after a successful change and reports it, unless the check fails, whose result is shown
 * then.
 */
export async function refreshAndReport(
  client: QueryClient,
  step: SetupStepName,
  message: string,
  ...others: SetupStepName[]
): Promise<void> {
  await refreshSetup(client, step, ...others);
  const check = client.getQueryState<{ ok: boolean }>(setupCheckQuery(step).queryKey);
  if (check?.status !== 'error' && check?.data?.ok !== false) showToast(message);
}

export const confirmMasterKey = (key: string | undefined) =>
  answer(api.setup['master-key'].confirm.$post({ json: key === undefined ? {} : { key } }, WIZARD));

export const setValue = (path: string, value: unknown) =>
  answer(
    api.config.overlay[':path'].$patch({ param: { path: at(path) }, json: { value } }, WIZARD),
  );

export const connectLinear = (apiKey: string) =>
  answer(api.setup.tracker.key.$post({ json: { apiKey } }, WIZARD));

export const beginSignIn = (json: {
  clientId: string;
  clientSecret?: string;
  redirectUri: string;
}) => answer(api.setup.tracker['sign-in'].$post({ json }, WIZARD));

export const completeSignIn = (json: { code: string; state: string }) =>
  answer(api.setup.tracker['sign-in'].complete.$post({ json }, WIZARD));

export const createTrackerWebhook = (url: string) =>
  answer(api.setup.tracker.webhook.$post({ json: { url } }, WIZARD));

export const connectGitHub = (json: { token: string; endpoint?: string; asTracker: boolean }) =>
  answer(api.setup.github.$post({ json }, WIZARD));

export const addRoute = (json: RepoRoute) =>
  answer(api.setup['repo-route'].$post({ json }, WIZARD));

export const connectProvider = (json: Partial<ConnectProvider>) =>
  answer(api.setup.provider.$post({ json }, WIZARD));

export const listProviderModels = (json: ListProviderModels) =>
  answer(api.setup.provider.models.$post({ json }));
export type OfferedModels = Awaited<ReturnType<typeof listProviderModels>>;

export const createTestIssue = (json: { title?: string; description?: string }) =>
  answer(api.setup['test-issue'].$post({ json }, WIZARD));
