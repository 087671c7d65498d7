import { z } from 'zod';
import type { GitHubConnection } from '../api/github-connections.ts';
import { GitHubError } from '../api/github-error.ts';
import type { RepositoryName } from '../api/repository-name.ts';
import { problemOf } from '../../../ports/tracker/unreadable-record.ts';
import { isOneOf } from '../../../ports/tracker/find-state.ts';

/** A project whose single-select field holds the states of issues. */
export type StateProject = { owner: string; number: number; field: string };
type Place = { connection: GitHubConnection; repository: RepositoryName; project: StateProject };

const ISSUES_PER_QUERY = 50;
const ITEMS_PER_ISSUE = 20;

const Values = z.object({ nodes: z.array(z.unknown()) });
const Issue = z.object({ projectItems: z.object({ nodes: z.array(z.unknown()) }).optional() });
const Item = z.object({
  project: z.object({ number: z.int(), owner: z.object({ login: z.string().optional() }) }),
  fieldValueByName: z.object({ name: z.string().optional() }).nullable(),
});
const Option = z.object({ id: z.string(), name: z.string() });
const Project = z.object({
  repositoryOwner: z
    .object({
      projectV2: z
        .object({
          id: z.string(),
          field: z
            .object({
              id: z.string(),
              options: z.array(Option.nullable().catch(null)),
            })
            .nullable(),
        })
        .nullish(),
    })
    .nullable(),
});
const Added = z.object({ addProjectV2ItemById: z.object({ item: z.object({ id: z.string() }) }) });

const VALUES = `query ProjectValues($ids: [ID!]!, $field: String!) {
  nodes(ids: $ids) { ... on Issue { projectItems(first: ${ITEMS_PER_ISSUE}) { nodes {
    project { number owner { ... on Organization { login } ... on User { login } } }
    fieldValueByName(name: $field) { ... on ProjectV2ItemFieldSingleSelectValue { name } }
  } } } }
}`;
const PROJECT = `query Project($owner: String!, $number: Int!, $field: String!) {
  repositoryOwner(login: $owner) { ... on ProjectV2Owner { projectV2(number: $number) {
    id field(name: $field) { ... on ProjectV2SingleSelectField { id options { id name } } }
  } } }
}`;
const ADD = `mutation AddToProject($projectId: ID!, $contentId: ID!) {
  addProjectV2ItemById(input: { projectId: $projectId, contentId: $contentId }) { item { id } }
}`;
const SET = `mutation SetState($projectId: ID!, $itemId: ID!, $fieldId: ID!, $optionId: String!) {
  updateProjectV2ItemFieldValue(input: { projectId: $projectId, itemId: $itemId, fieldId: $fieldId,
    value: { singleSelectOptionId: $optionId } }) { projectV2Item { id } }
}`;

/**
 * The values of the project's field by node id of the issue; issues without a value are left out.
 * `onUnreadable` is called for each unreadable value.
 */
export async function projectStates(
  { connection, repository, project }: Place,
  nodeIds: readonly string[],
  onUnreadable: (nodeId: string, problem: string) => void,
): Promise<Map<string, string>> {
  const auth = connection.access.authorize(repository, 'projects');
  const found = new Map<string, string>();
  for (let from = 0; from < nodeIds.length; from += ISSUES_PER_QUERY) {
    const ids = nodeIds.slice(from, from + ISSUES_PER_QUERY);
    const { nodes } = await connection.client.graphql(Values, auth, VALUES, {
      ids,
      field: project.field,
    });
    // The response follows the order of the ids, with null for a missing issue.
    for (const [at, nodeId] of ids.entries()) {
      const value = Issue.nullish().safeParse(nodes[at]);
      if (!value.success) onUnreadable(nodeId, problemOf(value.error));
      // An issue may be in several projects, and the list contains null for those without access.
      const items = (value.data?.projectItems?.nodes ?? []).filter((node) => node !== null);
      const read = items.map((node) => Item.safeParse(node));
      const item = read.find(({ data }) => data !== undefined && isIn(project, data));
      const odd = read.find(({ success }) => !success);
      if (item === undefined && odd?.error !== undefined)
        onUnreadable(nodeId, problemOf(odd.error));
      const name = item?.data?.fieldValueByName?.name;
      if (name !== undefined) found.set(nodeId, name);
    }
  }
  return found;
}

function isIn(project: StateProject, { project: there }: z.infer<typeof Item>): boolean {
  return (
    there.number === project.number &&
    there.owner.login?.toLowerCase() === project.owner.toLowerCase()
  );
}

/**
 * Adds the issue to the project if needed, and sets its state. False when the field has no such
 * option. Throws a GitHubError, also when the project or field does not exist.
 */
export async function setProjectState(
  { connection, repository, project }: Place,
  nodeId: string,
  state: string,
): Promise<boolean> {
  const { client, access } = connection;
  const auth = access.authorize(repository, 'projects');
  const { repositoryOwner } = await client.graphql(Project, auth, PROJECT, { ...project });
  const { id: projectId, field } = repositoryOwner?.projectV2 ?? {};
  if (projectId === undefined || field === undefined || field === null) {
    const name = `${project.owner}/${project.number}`;
    throw new GitHubError('status', `there is no project ${name} with a field ${project.field}`);
  }
  // An unreadable option cannot be the wanted one.
  const option = field.options.find((one) => one !== null && isOneOf(one.name, [state]));
  if (option == null) return false;
  // Adding an existing item returns that item.
  const added = await client.graphql(Added, auth, ADD, { projectId, contentId: nodeId });
  const itemId = added.addProjectV2ItemById.item.id;
  const values = { projectId, itemId, fieldId: field.id, optionId: option.id };
  await client.graphql(z.unknown(), auth, SET, values);
  return true;
}
