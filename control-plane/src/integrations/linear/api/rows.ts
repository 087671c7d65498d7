import { z } from 'zod';
import { readableRows } from './readable-rows.ts';

const Id = z.string().min(1).max(200);
const Text = z.string();
const PageInfo = z.looseObject({ hasNextPage: z.boolean(), endCursor: z.string().nullish() });

/** A connection with the rows that were requested. */
export const nodesOf = <Row extends z.ZodType>(row: Row) => z.looseObject({ nodes: z.array(row) });

/** As `nodesOf`, for independent rows: unreadable ones are left out. */
export const readableNodesOf = <Row extends z.ZodType>(row: Row) =>
  z.looseObject({ nodes: z.array(z.unknown()) }).transform(({ nodes }) => ({
    nodes: readableRows(row, nodes, () => {}),
  }));

/** A connection that can be paged. */
export const pageOf = <Row extends z.ZodType>(row: Row) =>
  z.looseObject({ nodes: z.array(row), pageInfo: PageInfo });

/** Whether a change was made; the client throws if a mutation does not confirm it. */
export const Success = z.looseObject({ success: z.boolean() });

/** An object with only its id. */
export const Ref = z.looseObject({ id: z.string() });
const Person = z
  .looseObject({
    id: Id,
    name: Text.catch(''),
    email: Text.nullish().catch(null),
    isMe: z.boolean().catch(false),
  })
  .nullish()
  .catch(null);
const State = z.looseObject({ id: Id, name: Text.min(1), type: Text.catch('') });
export const DateTime = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));

export const LabelRow = z.looseObject({ id: Id, name: Text });
export const RelationRow = z.looseObject({
  type: Text,
  issue: z.looseObject({ id: Id, identifier: Text.min(1), state: State }).nullish(),
});

/**
 * An issue from Linear. Only indispensable fields are required; an invalid optional field counts as
 * absent.
 */
export const IssueData = z.looseObject({
  id: Id,
  identifier: Text.min(1).max(200),
  title: Text,
  description: Text.nullish().catch(null),
  priority: z.number().nullish().catch(null),
  branchName: Text.nullish().catch(null),
  url: Text.nullish().catch(null),
  createdAt: DateTime,
  updatedAt: DateTime,
  trashed: z.boolean().nullish().catch(null),
  archivedAt: Text.nullish().catch(null),
  state: State,
  assignee: Person,
  delegate: Person,
  creator: Person,
  team: z.looseObject({ id: Id, key: Text }),
  project: z.looseObject({ slugId: Text }).nullish().catch(null),
  labels: pageOf(LabelRow),
  inverseRelations: pageOf(RelationRow),
});
export type IssueData = z.infer<typeof IssueData>;

/** What a tracker reports of an issue without its details: enough to see whether it changed. */
export const IssueProbeRow = z.looseObject({
  id: Id,
  updatedAt: DateTime,
  trashed: z.boolean().nullish().catch(null),
  state: z.looseObject({ name: Text.min(1) }),
});
export type IssueProbeRow = z.infer<typeof IssueProbeRow>;

/** A connection whose rows are parsed one by one, so that an invalid one does not affect others. */
export const RawPage = pageOf(z.unknown());
export type RawPage = z.infer<typeof RawPage>;
