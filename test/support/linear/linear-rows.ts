import { GraphQLError } from 'graphql';

/** An id of the writer's own, and the comment that is answered. */
export type CommentPlace = { id?: string | undefined; parentId?: string | null };
export type FakePerson = { id: string; name: string; email: string; isMe: boolean };
export type FakeState = { id: string; name: string; type: string };
export type FakeLabel = { id: string; name: string };
export type FakeComment = {
  id: string;
  issueId: string;
  body: string;
  /** Null: Linear itself wrote it. */
  user: FakePerson | null;
  /** Root of its thread; null where it is one. */
  parentId: string | null;
  createdAtMs: number;
};
export type FakeIssue = {
  id: string;
  number: number;
  title: string;
  description: string | null;
  priority: number;
  stateId: string;
  labelIds: string[];
  /** Ids of issues that block it. */
  blockedBy: string[];
  assignee: FakePerson | null;
  /** The app that works on it. */
  delegate: FakePerson | null;
  creator: FakePerson;
  projectSlug: string | null;
  archived: boolean;
  createdAtMs: number;
  updatedAtMs: number;
};
export type FakeWebhook = { id: string; url: string; secret: string; enabled: boolean };
/** Something that happened, as webhooks tell of it. */
export type FakeEvent = {
  type: 'Issue' | 'Comment' | 'AgentSessionEvent';
  action: 'create' | 'update' | 'remove' | 'created' | 'prompted';
  issue: FakeIssue;
  comment?: FakeComment;
  session?: FakeSession;
  activity?: FakeActivity;
  actor: FakePerson;
  updatedFrom?: Record<string, unknown>;
};

export type FakeContent = Record<string, unknown> & { type: string };
export type FakeActivity = {
  id: string;
  sessionId: string;
  content: FakeContent;
  ephemeral: boolean;
  signal: string | null;
  signalMetadata: unknown;
  user: FakePerson;
  sourceCommentId: string | null;
  atMs: number;
};
export type FakeSession = {
  id: string;
  issueId: string;
  creator: FakePerson;
  /** Root of the thread. */
  comment: FakeComment;
  createdAtMs: number;
  externalUrls: { label: string; url: string }[];
  /** When the agent showed a first sign of life; null: it has not. */
  answeredAtMs: number | null;
  activities: FakeActivity[];
  dismissed: boolean;
};

/** Refusals as Linear words them. */
export function notFound(entity: string): GraphQLError {
  return inputError(`Entity not found: ${entity} - Could not find referenced ${entity}.`);
}

export function inputError(message: string): GraphQLError {
  return new GraphQLError(message, {
    extensions: { code: 'INPUT_ERROR', type: 'invalid input', userPresentableMessage: message },
  });
}
