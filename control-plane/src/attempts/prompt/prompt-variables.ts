import { Drop } from 'liquidjs';
import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import type { TemplateVariable } from '@switchyard/shared/api/admin/template';
import { cutText } from '@switchyard/shared/text/cut-text';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import { untrustedText, visibleLine, visibleText } from './untrusted-text.ts';

/** Limit on the description, so that the prompt has room for instructions. */
const MAX_DESCRIPTION_CHARS = 200_000;
/** Limit on the parent's, which is there for context. */
const MAX_PARENT_CHARS = 20_000;

/** The variables of a prompt template; keys are the documented paths. */
export type PromptVariables = {
  issue: {
    id: string;
    identifier: string;
    title: string;
    description: string | null;
    state: string;
    priority: number | null;
    url: string | null;
    labels: string[];
    branch_name: string | null;
    assignee_id: string | null;
    blocked_by: { id: string; identifier: string; state: string | null }[];
    parent: { identifier: string; title: string; description: string | null } | null;
    created_at: string;
    updated_at: string;
  };
  attempt: { number: number };
  workspace: { key: string; branch: string | null };
  repo: { url: string; default_branch: string | null };
};

type PromptSubject = Pick<
  IssueRow,
  | 'id'
  | 'identifier'
  | 'title'
  | 'description'
  | 'state'
  | 'priority'
  | 'url'
  | 'labels'
  | 'branch_name'
  | 'assignee_id'
  | 'blocked_by'
  | 'created_at_ms'
  | 'updated_at_ms'
  | 'branch'
>;

/**
 * Supports `{{ attempt.number }}`, and `{{ attempt }}` as in WORKFLOW.md: empty at the first
 * attempt, then a number.
 */
class AttemptDrop extends Drop {
  readonly number: number;
  constructor(number: number) {
    super();
    this.number = number;
  }
  override valueOf(): number | null {
    return this.number <= 1 ? null : this.number;
  }
}

/** The template variables of one attempt. */
export function promptVariables(input: {
  issue: PromptSubject;
  /** The issue that it is a part of; null or left out: none. */
  parent?: Pick<IssueRow, 'identifier' | 'title' | 'description'> | null;
  number: number;
  workspaceKey: string;
  route: RepoRoute;
  /** The description was written by an operator, not by people in a tracker. */
  trusted?: boolean;
}): PromptVariables {
  const { issue, route } = input;
  return {
    issue: {
      id: issue.id,
      identifier: visibleLine(issue.identifier),
      title: visibleLine(issue.title),
      description: descriptionOf(input),
      state: visibleLine(issue.state),
      priority: issue.priority,
      url: line(issue.url),
      labels: issue.labels.map(visibleLine),
      branch_name: line(issue.branch_name),
      assignee_id: line(issue.assignee_id),
      blocked_by: issue.blocked_by.map(({ id, identifier, state }) => ({
        id,
        identifier: visibleLine(identifier),
        state: line(state),
      })),
      parent: parentOf(input.parent ?? null),
      created_at: new Date(issue.created_at_ms).toISOString(),
      updated_at: new Date(issue.updated_at_ms).toISOString(),
    },
    attempt: new AttemptDrop(input.number),
    workspace: { key: input.workspaceKey, branch: issue.branch },
    repo: { url: route.url, default_branch: route.default_branch ?? null },
  };
}

function parentOf(
  parent: Pick<IssueRow, 'identifier' | 'title' | 'description'> | null,
): PromptVariables['issue']['parent'] {
  if (parent === null) return null;
  const { identifier, title } = parent;
  return {
    identifier: visibleLine(identifier),
    title: visibleLine(title),
    description: descriptionOf({
      issue: { description: cutText(parent.description ?? '', MAX_PARENT_CHARS, '…') },
    }),
  };
}

/** Puts a name that others chose on one line, since a further line could read as an instruction. */
function line(text: string | null): string | null {
  return text === null ? null : visibleLine(text);
}

function descriptionOf(input: {
  issue: Pick<PromptSubject, 'description'>;
  trusted?: boolean;
}): string | null {
  const text = cutText(input.issue.description ?? '', MAX_DESCRIPTION_CHARS);
  if (input.trusted === true) return text === '' ? null : text;
  return visibleText(text).trim() === '' ? null : untrustedText(text);
}

/** Example values for a preview that gives no variables. */
export const SAMPLE_VARIABLES: PromptVariables = {
  issue: {
    id: 'iss_1',
    identifier: 'SY-1',
    title: 'Add a page for orders',
    description: 'People want to see their orders.',
    state: 'Todo',
    priority: 2,
    url: 'http://127.0.0.1:4000/issues/SY-1',
    labels: ['ui', 'small'],
    branch_name: null,
    assignee_id: null,
    blocked_by: [],
    parent: null,
    created_at: '2026-01-02T03:04:05.000Z',
    updated_at: '2026-01-02T03:04:05.000Z',
  },
  attempt: { number: 1 },
  workspace: { key: 'SY-1', branch: null },
  repo: { url: 'https://example.com/shop.git', default_branch: 'main' },
};

type Paths<Group extends keyof PromptVariables> =
  `${Group}.${Extract<keyof PromptVariables[Group], string>}`;

const DESCRIPTIONS: {
  [Path in { [G in keyof PromptVariables]: Paths<G> }[keyof PromptVariables]]: string;
} = {
  'issue.id': "The tracker's own id.",
  'issue.identifier': 'For example SY-1.',
  'issue.title': 'One line.',
  'issue.description': 'Markdown in a fence that marks it as text by others; null: none.',
  'issue.state': 'Name of the tracker state.',
  'issue.priority': '1 urgent … 4 low; null or 0: none.',
  'issue.url': 'Link to the issue; null when there is none.',
  'issue.labels': 'List of label names.',
  'issue.branch_name': 'Branch that the tracker proposes; null when it proposes none.',
  'issue.assignee_id': 'Who it is assigned to in the tracker, or null.',
  'issue.blocked_by': 'List of {id, identifier, state}.',
  'issue.parent': 'The parent issue, as {identifier, title, description}; null: none.',
  'issue.created_at': 'ISO 8601, UTC.',
  'issue.updated_at': 'ISO 8601, UTC.',
  'attempt.number':
    '1 for the first attempt. `attempt` alone is empty then, and this number later.',
  'workspace.key': "Name of the workspace's folder.",
  'workspace.branch': 'Branch of earlier work; null for the first attempt.',
  'repo.url': 'Clone URL of the repository.',
  'repo.default_branch': "The route's default branch; null: the remote's HEAD.",
};

/** Every path that a template may use, with its description. */
export const TEMPLATE_VARIABLES: readonly TemplateVariable[] = Object.entries(DESCRIPTIONS).map(
  ([path, description]) => {
    const [group = '', name = ''] = path.split('.');
    const values: Record<string, Record<string, unknown>> = SAMPLE_VARIABLES;
    return { path, description, example: values[group]?.[name] ?? null };
  },
);
