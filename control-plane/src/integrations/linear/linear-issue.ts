import { isOneOf } from '../../ports/tracker/find-state.ts';
import type { StateRoles, TrackerIssue } from '../../ports/tracker/tracker.ts';
import type { LinearScope } from './linear-settings.ts';
import { isNamedPerson } from './api/is-named-person.ts';
import type { IssueData } from './api/rows.ts';

/** State types after which an issue blocks nothing. */
const ENDED = new Set(['completed', 'canceled', 'duplicate']);

/** Linear's issue in the port's form. `scope` says whose issues are worked on. */
export function linearIssue(
  data: IssueData,
  roles: Pick<StateRoles, 'terminal'>,
  scope: LinearScope,
): TrackerIssue {
  const blockers = data.inverseRelations.nodes.flatMap(({ type, issue }) =>
    type === 'blocks' && issue ? [issue] : [],
  );
  return {
    id: data.id,
    identifier: data.identifier,
    title: data.title,
    description: data.description === '' ? null : (data.description ?? null),
    priority: data.priority ? Math.round(data.priority) : null,
    state: data.state.name,
    branchName: data.branchName || null,
    url: data.url || null,
    labels: data.labels.nodes.map((label) => label.name),
    assigneeId: data.assignee?.id ?? null,
    blockedBy: blockers.map(({ id, identifier, state }) => ({
      id,
      identifier,
      state: state.name,
      terminal: ENDED.has(state.type) || isOneOf(state.name, roles.terminal),
    })),
    createdAtMs: data.createdAt,
    updatedAtMs: data.updatedAt,
    ...(data.archivedAt
      ? { nativeRef: null, unroutable: 'it is archived' }
      : { nativeRef: data.id, unroutable: whyUnroutable(data, scope) }),
  };
}

/** Why an issue must not be worked on, for people; null when it may. */
function whyUnroutable(data: IssueData, scope: LinearScope): string | null {
  const { projectSlug, team, assignee, allowedAuthors = [] } = scope;
  if (projectSlug && data.project?.slugId !== projectSlug) return 'it is in another project';
  if (team && data.team.key.toLowerCase() !== team.trim().toLowerCase()) {
    return 'it belongs to another team';
  }
  const given = [data.assignee, data.delegate];
  if (assignee && !given.some((person) => isNamedPerson(person, [assignee]))) {
    return data.assignee
      ? 'it is assigned to somebody else'
      : 'waiting to be assigned to this service';
  }
  if (allowedAuthors.length > 0 && !isNamedPerson(data.creator, allowedAuthors)) {
    return 'its author is not among tracker.allowedAuthors';
  }
  return null;
}
