import type { Tracker } from '../ports/tracker/tracker.ts';
import type { CodeHost } from '../ports/code-host/code-host.ts';
import type { Connected } from './integration.ts';

/** Removes known secrets from texts. */
type Hiding = { known(text: string): string; value<Value>(value: Value): Value };

/** Wraps an integration so that no text it writes outside contains a known secret; urls stay. */
export function redactOutgoing<Part extends Connected>(connected: Part, redactor: Hiding): Part {
  const { tracker, codeHost } = connected;
  return {
    ...connected,
    ...(tracker === undefined ? {} : { tracker: redactTracker(tracker, redactor) }),
    ...(codeHost === undefined ? {} : { codeHost: redactCodeHost(codeHost, redactor) }),
  };
}

function redactTracker(tracker: Tracker, redactor: Hiding): Tracker {
  const { agentSessions } = tracker;
  return {
    ...tracker,
    upsertComment: (issueId, key, body) =>
      tracker.upsertComment(issueId, key, redactor.known(body)),
    attach: (issueId, { url, title }) =>
      tracker.attach(issueId, { url, title: redactor.known(title) }),
    createIssue: (input) => tracker.createIssue(redactor.value(input)),
    ...(agentSessions === undefined
      ? {}
      : {
          agentSessions: {
            ...agentSessions,
            say: (activity) =>
              agentSessions.say({
                ...activity,
                content: redactor.value(activity.content),
                options: redactor.value(activity.options),
              }),
          },
        }),
  };
}

function redactCodeHost(host: CodeHost, redactor: Hiding): CodeHost {
  return {
    ...host,
    openPullRequest: (input) =>
      host.openPullRequest({
        ...input,
        title: redactor.known(input.title),
        body: redactor.known(input.body),
      }),
    agentApi(repositoryUrl) {
      const api = host.agentApi?.(repositoryUrl) ?? null;
      if (api === null) return null;
      return { ...api, judge: (given, scope) => api.judge(redactor.value(given), scope) };
    },
  };
}
