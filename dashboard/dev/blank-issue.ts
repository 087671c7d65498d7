import type { Issue } from '@switchyard/shared/api/work/issue';

/** An issue of the built-in tracker that nothing has happened to. */
export function blankIssue(number: number, atIso: string): Issue {
  return {
    id: `local-${number}`,
    identifier: `SY-${number}`,
    tracker: 'local',
    title: `Issue ${number}`,
    description: null,
    priority: 0,
    state: 'Todo',
    branchName: null,
    url: null,
    labels: [],
    assigneeId: null,
    blockedBy: [],
    dispatchable: true,
    createdAt: atIso,
    updatedAt: atIso,
    nativeRef: null,
    status: 'idle',
    reason: null,
    reasonCode: null,
    attemptCount: 0,
    nextRetryAt: null,
    model: null,
    templateId: null,
    pullRequestUrl: null,
    tokens: { input: 0, cachedInput: 0, output: 0, reasoning: 0, total: 0 },
    costUsd: null,
  };
}
