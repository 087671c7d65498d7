import { z } from 'zod';
import { namedObject, strictNamedObject } from '../named-object.ts';
import { Blocker, Issue, IssueStatus } from './work/issue.ts';
import { CreateLocalIssue } from './work/local-issue.ts';
import { ReasonCode } from './work/reason-code.ts';

/** Most parts that one request may create. */
export const MAX_SUB_ISSUES = 50;

const { title, description, priority, labels, blockedBy } = CreateLocalIssue.shape;

/** A part that an issue is split into. */
export const SubIssueDraft = strictNamedObject('SubIssueDraft', {
  title,
  description,
  /** Left out: the priority of the issue that is split. */
  priority,
  /** Left out: the labels of the issue that is split. */
  labels,
  /**
   * What must be done before it: identifiers of issues, and `#N` for the part at position N of the
   * same request, counted from 1.
   */
  blockedBy,
});
export type SubIssueDraft = z.infer<typeof SubIssueDraft>;

/** `POST /api/v1/:id/sub-issues`. */
export const SplitIssue = strictNamedObject('SplitIssue', {
  subIssues: z.array(SubIssueDraft).min(1).max(MAX_SUB_ISSUES),
});
export type SplitIssue = z.infer<typeof SplitIssue>;

export const SplitResponse = namedObject('SplitResponse', {
  /** The issue that was split. */
  issue: Issue,
  /** Its new parts, in the order of the request. */
  subIssues: z.array(Issue),
});
export type SplitResponse = z.infer<typeof SplitResponse>;

/** One issue of a tree. */
export const TreeIssue = namedObject('TreeIssue', {
  identifier: z.string(),
  title: z.string(),
  /** State in the tracker. */
  state: z.string(),
  /** Whether that state is one in which no work is left. */
  terminal: z.boolean(),
  status: IssueStatus,
  reason: z.string().nullable(),
  reasonCode: ReasonCode.nullable(),
  /** Identifier of the issue that it is a part of; null for the topmost one. */
  parent: z.string().nullable(),
  /** Levels below the topmost issue, which is at 0. */
  depth: z.int(),
  blockedBy: z.array(Blocker),
  pullRequestUrl: z.string().nullable(),
  /** Tokens of its own attempts. */
  tokens: z.int(),
  costUsd: z.number().nullable(),
  /** Tokens of models without a price, which the cost does not include. */
  unpricedTokens: z.int(),
});
export type TreeIssue = z.infer<typeof TreeIssue>;

/** `GET /api/v1/:id/tree`: the whole tree that an issue belongs to. */
export const IssueTree = namedObject('IssueTree', {
  /** From the topmost issue on, each one followed by its parts. */
  issues: z.array(TreeIssue),
  /** True: the tree has more issues than are listed here. */
  more: z.boolean(),
});
export type IssueTree = z.infer<typeof IssueTree>;
