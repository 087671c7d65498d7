import type { FakeGrant } from './fake-credentials.ts';
import type { FakeAnswer, FakeGitHub } from './fake-github.ts';
import { mayDo } from './fake-permissions.ts';

/** A project of an organisation with one single-select field. */
export type FakeProject = {
  owner: string;
  number: number;
  field: string;
  options: string[];
  /** What the field says, by node id of the issue; null: in the project, without a value. */
  values: Map<string, string | null>;
};

type Variables = Record<string, unknown>;

/** Answers what is asked about projects; null for any other operation. */
export function answerProjects(
  fake: FakeGitHub,
  grant: FakeGrant,
  query: string,
  variables: Variables,
): FakeAnswer | null {
  const name = /^(?:query|mutation) (\w+)/.exec(query)?.[1] ?? '';
  const answer = Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name] : undefined;
  if (answer === undefined) return null;
  const refuse = (message: string): FakeAnswer => ({
    status: 200,
    body: { errors: [{ type: 'NOT_FOUND', message }] },
  });
  const level = query.startsWith('mutation') ? 'write' : 'read';
  if (!mayDo(grant, [`organization_projects=${level}`])) return forbidden(grant);
  const { project } = fake;
  if (project === null) return refuse('Could not resolve to a ProjectV2');
  const data = answer(project, variables, fake);
  return data === null ? refuse('Could not resolve to a node') : { status: 200, body: { data } };
}

/** GraphQL says so with 200. */
export function forbidden({ kind }: FakeGrant): FakeAnswer {
  const by = kind === 'installation' ? 'integration' : 'personal access token';
  const message = `Resource not accessible by ${by}`;
  return { status: 200, body: { errors: [{ type: 'FORBIDDEN', message }] } };
}

type Answer = (
  project: FakeProject,
  variables: Variables,
  fake: Pick<FakeGitHub, 'ignoresChanges'>,
) => object | null;

const OPERATIONS: Record<string, Answer> = {
  ProjectValues: (project, { ids, field }) => ({
    nodes: (ids as string[]).map((id) => ({
      id,
      projectItems: {
        nodes: project.values.has(id) ? [itemOf(project, id, String(field))] : [],
      },
    })),
  }),
  Project: ({ owner, number, field, options }, asked) => ({
    repositoryOwner: {
      projectV2:
        asked['owner'] === owner && asked['number'] === number
          ? {
              id: 'PVT_1',
              field: asked['field'] === field ? { id: 'PVTSSF_1', options: named(options) } : null,
            }
          : null,
    },
  }),
  AddToProject: ({ values }, { contentId }) => {
    const id = String(contentId);
    if (!values.has(id)) values.set(id, null);
    return { addProjectV2ItemById: { item: { id: `PVTI_${id}` } } };
  },
  SetState: ({ values, options }, { itemId, optionId }, { ignoresChanges }) => {
    const id = String(itemId).slice('PVTI_'.length);
    const option = options[Number(String(optionId).slice('O_'.length))];
    if (!values.has(id) || option === undefined) return null;
    if (!ignoresChanges) values.set(id, option);
    return { updateProjectV2ItemFieldValue: { projectV2Item: { id: itemId } } };
  },
};

function itemOf({ owner, number, field, values }: FakeProject, id: string, asked: string) {
  const name = asked === field ? (values.get(id) ?? null) : null;
  return {
    project: { number, owner: { login: owner } },
    fieldValueByName: name === null ? null : { name },
  };
}

function named(options: readonly string[]) {
  return options.map((name, at) => ({ id: `O_${at}`, name }));
}
