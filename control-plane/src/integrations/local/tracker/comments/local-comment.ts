import type { LocalComment } from '@switchyard/shared/api/work/local-issue';
import type { localComments } from '../../../../db/schema/work/local-issues.ts';

export type LocalCommentRow = typeof localComments.$inferSelect;

/** A comment as the API shows it. */
export function localComment(row: LocalCommentRow): LocalComment {
  return {
    id: row.id,
    author: row.author,
    byService: row.service_key !== null,
    body: row.body,
    createdAt: new Date(row.created_at_ms).toISOString(),
    updatedAt: new Date(row.updated_at_ms).toISOString(),
  };
}
