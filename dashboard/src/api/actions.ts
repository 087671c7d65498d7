import type { Issue } from '@switchyard/shared/api/issue';
import type { CreateLocalIssue, LocalComment } from '@switchyard/shared/api/local-issue';
import type { PullRequest } from '@switchyard/shared/api/pull-request';
import type { RepoRoute } from '@switchyard/shared/api/repo-route';
import type { HumanRequest } from '@switchyard/shared/api/request';
import { callApi } from './client.ts';

const at = encodeURIComponent;
const post = <T>(path: string, body?: unknown) => callApi<T>(path, { method: 'POST', body });

export const createIssue = (input: CreateLocalIssue) => post<Issue>('/local/issues', input);

export const addComment = (id: string, body: string) =>
  post<LocalComment>(`/local/issues/${at(id)}/comments`, { body });

export const abortIssue = (id: string) => post<unknown>(`/${at(id)}/abort`);

export const retryIssue = (id: string) => post<unknown>(`/${at(id)}/retry`);

export const publishDraft = (id: string) => post<PullRequest>(`/${at(id)}/publish`);

export const answerRequest = (id: string, answers: Record<string, string[]>) =>
  post<HumanRequest>(`/requests/${at(id)}/answer`, { answers });

export const createJoinToken = () =>
  post<{ token: string; expiresAt: string }>('/runners/tokens', {});

export const addRepoRoute = (route: RepoRoute) => post<unknown>('/setup/repo-route', route);

export const removeRepoRoute = (index: number) =>
  callApi<unknown>(`/setup/repo-route/${index}`, { method: 'DELETE' });

export const mergePullRequest = (id: string) =>
  post<PullRequest>(`/local/pull-requests/${at(id)}/merge`);

export const closePullRequest = (id: string) =>
  post<PullRequest>(`/local/pull-requests/${at(id)}/close`);

export const drainRunner = (id: string) => post<unknown>(`/runners/${at(id)}/drain`);

export const revokeRunner = (id: string) =>
  callApi<unknown>(`/runners/${at(id)}`, { method: 'DELETE' });

export const pauseService = (pause: { reason: string; stopRunning: boolean }) =>
  post<unknown>('/pause', pause);

export const resumeService = () => post<unknown>('/resume');
