import { z } from 'zod';
import type { StateRoles, TrackerIssue } from '../../../ports/tracker/tracker.ts';
import type { UnreadableRecord } from '../../../ports/tracker/unreadable-record.ts';
import type { TrackedRepository } from './github-tracker-settings.ts';
import { plainLabels, priorityOf, stateOf } from './state-of.ts';

const Label = z.union([z.string(), z.object({ name: z.string() }).transform(({ name }) => name)]);

/** The fields of GitHub's issue that are used. A pull request is an issue with one more field. */
export const GitHubIssue = z.object({
  node_id: z.string(),
  number: z.int().min(1),
  html_url: z.url(),
  repository_url: z.url().optional(),
  title: z.string(),
  body: z.string().nullish(),
  state: z.enum(['open', 'closed']),
  state_reason: z.string().nullish(),
  labels: z.array(Label),
  user: z.object({ login: z.string(), type: z.string().optional() }).nullish(),
  assignee: z.object({ login: z.string() }).nullish(),
  pull_request: z.unknown().optional(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  issue_dependencies_summary: z.object({ total_blocked_by: z.int() }).nullish(),
});
export type GitHubIssue = z.infer<typeof GitHubIssue>;

export type Blocker = TrackerIssue['blockedBy'][number];

/** This service's id of an issue: GitHub's numbers are unique only within a repository. */
export function issueId({ repository }: TrackedRepository, number: number): string {
  return `${repository.owner}/${repository.name}#${number}`;
}

/** The fields that identify an issue whose other fields are unreadable. */
export const Numbered = z.object({
  number: z.int().min(1),
  pull_request: z.unknown().optional(),
  state: z.enum(['open', 'closed']).nullish().catch(null),
  state_reason: z.string().nullish().catch(null),
  updated_at: z.iso.datetime().nullish().catch(null),
});

/** Describes an unreadable issue of a list; null for a pull request. */
export function unreadableIssue(
  tracked: TrackedRepository,
  roles: StateRoles,
  { row, problem }: { row: unknown; problem: string },
): UnreadableRecord | null {
  const { data } = Numbered.safeParse(row);
  if (data === undefined) return { id: null, name: null, problem };
  const { number, pull_request: pull, state, state_reason: reason = null, updated_at: at } = data;
  if (pull !== undefined) return null;
  // The state of an open issue depends on labels or a project, which may be the unreadable part.
  const closed = state === 'closed' ? stateOf({ state, reason, labels: [] }, roles) : null;
  const updatedAtMs = at == null ? null : Date.parse(at);
  return { ...unreadableAt({ tracked, number }, problem), state: closed, updatedAtMs };
}

/** Describes an issue that is unreadable when requested by id. */
export function unreadableAt(
  { tracked, number }: { tracked: TrackedRepository; number: number },
  problem: string,
): UnreadableRecord {
  return { id: issueId(tracked, number), name: identifierOf(tracked, number), problem };
}

export function identifierOf({ prefix }: TrackedRepository, number: number): string {
  return `${prefix}-${number}`;
}

/** A GitHub issue in the port's form. */
export function trackerIssue(
  tracked: TrackedRepository,
  issue: GitHubIssue,
  roles: StateRoles,
  more: {
    blockedBy: Blocker[];
    allowedAuthors: readonly string[];
    assignee: string | undefined;
    /** Why the author's issues start no work; null when they do. */
    refusedAuthor: string | null;
  },
): TrackerIssue {
  const raw = rawState(issue);
  const unroutable = whyNotOurs(issue, more);
  const { refusedAuthor } = more;
  return {
    id: issueId(tracked, issue.number),
    identifier: identifierOf(tracked, issue.number),
    title: issue.title,
    description: issue.body ?? null,
    priority: priorityOf(issue.labels),
    state: stateOf(raw, roles),
    branchName: null,
    url: issue.html_url,
    labels: plainLabels(issue.labels, roles),
    assigneeId: issue.assignee?.login ?? null,
    blockedBy: more.blockedBy,
    createdAtMs: Date.parse(issue.created_at),
    updatedAtMs: Date.parse(issue.updated_at),
    nativeRef: issue.node_id,
    unroutable: unroutable ?? refusedAuthor,
    ...(unroutable === null && refusedAuthor !== null ? { unroutableAtStart: true } : {}),
  };
}

export function rawState(issue: GitHubIssue) {
  return { state: issue.state, reason: issue.state_reason ?? null, labels: issue.labels };
}

function whyNotOurs(
  issue: GitHubIssue,
  given: { allowedAuthors: readonly string[]; assignee: string | undefined },
): string | null {
  const isOneOf = (login: string | undefined, names: readonly string[]) =>
    names.some((name) => name.trim().toLowerCase() === login?.toLowerCase());
  const { allowedAuthors, assignee } = given;
  if (allowedAuthors.length > 0 && !isOneOf(issue.user?.login, allowedAuthors)) {
    return `not worked on: ${issue.user?.login ?? 'its author'} is not in tracker.allowedAuthors`;
  }
  if (assignee === undefined || isOneOf(issue.assignee?.login, [assignee])) return null;
  return `not worked on: it is not assigned to ${assignee}`;
}
