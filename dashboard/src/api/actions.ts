import type { CreateLocalIssue } from '@switchyard/shared/api/work/local-issue';
import type { SplitIssue } from '@switchyard/shared/api/issue-tree';
import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import { withId, answer, api, at } from './api.ts';

export const createIssue = (json: CreateLocalIssue) => answer(api.local.issues.$post({ json }));

/** Gives an issue of the built-in tracker further sub-issues, all of them or none. */
export const splitIssue = (id: string, json: SplitIssue) =>
  answer(api[':id']['sub-issues'].$post({ ...withId(id), json }));

export const addComment = (id: string, body: string) =>
  answer(api.local.issues[':id'].comments.$post({ ...withId(id), json: { body } }));

export const abortIssue = (id: string) => answer(api[':id'].abort.$post(withId(id)));

/** Options of a request that is sent even when the page is left. */
const OUTLIVES_PAGE = { init: { keepalive: true } };

export const retryIssue = (id: string) => answer(api[':id'].retry.$post(withId(id), OUTLIVES_PAGE));

export const steerIssue = (id: string, message: string) =>
  answer(api[':id'].steer.$post({ ...withId(id), json: { message } }));

/**
 * Moves an issue; refused with code `stops_run` where that would stop a run and `stopRunning` is
 * false.
 */
export const moveIssue = (id: string, json: { to: string; stopRunning: boolean }) =>
  answer(api[':id'].transition.$post({ ...withId(id), json }, OUTLIVES_PAGE));

type ModelOverride = {
  engine: string | null;
  model: string | null;
  reasoning_effort: string | null;
};

export const setModel = (id: string, json: ModelOverride) =>
  answer(api[':id'].model.$post({ ...withId(id), json }));

/** Resets an issue to the engine and the model of the settings. */
export const clearModel = (id: string) => answer(api[':id'].model.$delete(withId(id)));

export const setTemplate = (id: string, templateId: string) =>
  answer(api[':id'].template.$post({ ...withId(id), json: { template_id: templateId } }));

export const clearTemplate = (id: string) => answer(api[':id'].template.$delete(withId(id)));

/** Repeats only the delivery of work whose delivery was refused or given up. */
export const retryDelivery = (id: string) => answer(api[':id'].deliver.$post(withId(id)));
export const publishDraft = (id: string) => answer(api[':id'].publish.$post(withId(id)));

export const answerRequest = (id: string, answers: Record<string, string[]>) =>
  answer(
    api.requests[':requestId'].answer.$post({ param: { requestId: at(id) }, json: { answers } }),
  );

export const createJoinToken = () => answer(api.runners.tokens.$post({ json: {} }));

export const addRepoRoute = (json: RepoRoute) => answer(api.setup['repo-route'].$post({ json }));

export const replaceRepoRoute = (index: number, json: RepoRoute) =>
  answer(api.setup['repo-route'][':index'].$put({ param: { index: String(index) }, json }));

export const removeRepoRoute = (index: number) =>
  answer(api.setup['repo-route'][':index'].$delete({ param: { index: String(index) } }));

export const mergePullRequest = (id: string) =>
  answer(api.local['pull-requests'][':id'].merge.$post(withId(id)));

export const closePullRequest = (id: string) =>
  answer(api.local['pull-requests'][':id'].close.$post(withId(id)));

export const drainRunner = (id: string) =>
  answer(api.runners[':rid'].drain.$post({ param: { rid: at(id) } }));

export const revokeRunner = (id: string) =>
  answer(api.runners[':rid'].$delete({ param: { rid: at(id) } }));

export const pauseService = (json: { reason: string; stopRunning: boolean }) =>
  answer(api.pause.$post({ json }));

export const resumeService = () => answer(api.resume.$post({}, OUTLIVES_PAGE));

export const requestSync = () => answer(api.refresh.$post());

/** Signs this browser in with a token; the response names the caller. */
export const beginSession = (token: string) => answer(api.session.$post({ json: { token } }));

/** Signs this browser in with the code of a link. */
export const beginLocalSession = (code: string) => answer(api.session.$post({ json: { code } }));

export const endAllSessions = () => answer(api.sessions.$delete());

export const endSession = () => answer(api.session.$delete());
