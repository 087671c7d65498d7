import { z } from 'zod';
import { namedObject, strictNamedObject } from '../../named-object.ts';

/** States of the built-in tracker, in board order. */
export const LOCAL_STATES = [
  'Backlog',
  'Todo',
  'In Progress',
  'In Review',
  'Done',
  'Canceled',
] as const;
export const LocalState = z.enum(LOCAL_STATES).meta({ id: 'LocalState' });
export type LocalState = z.infer<typeof LocalState>;

const Description = z.string().max(100_000);

/** `POST /api/v1/local/issues`. */
export const CreateLocalIssue = strictNamedObject('CreateLocalIssue', {
  title: z.string().trim().min(1).max(500),
  description: Description.optional(),
  state: LocalState.optional(),
  priority: z.int().min(0).max(4).optional(),
  labels: z.array(z.string().trim().min(1).max(100)).max(50).optional(),
  /** Identifiers of issues that must be done before this one. */
  blockedBy: z.array(z.string().max(64)).max(50).optional(),
  /** Identifier of the issue that it becomes a part of. */
  parent: z.string().max(64).optional(),
});
export type CreateLocalIssue = z.infer<typeof CreateLocalIssue>;

/** `PATCH /api/v1/local/issues/:id`; a field that is left out is not changed. */
export const UpdateLocalIssue = CreateLocalIssue.partial()
  .extend({
    description: Description.nullable().optional(),
    parent: z.string().max(64).nullable().optional(),
  })
  .meta({ id: 'UpdateLocalIssue' });
export type UpdateLocalIssue = z.infer<typeof UpdateLocalIssue>;

export const LocalComment = namedObject('LocalComment', {
  id: z.string(),
  author: z.string(),
  /** True: the service wrote the comment itself, so it never triggers an agent. */
  byService: z.boolean(),
  body: z.string(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type LocalComment = z.infer<typeof LocalComment>;

export const CreateLocalComment = strictNamedObject('CreateLocalComment', {
  body: z.string().trim().min(1).max(50_000),
});
