import { type SQL, sql } from 'drizzle-orm';
import type { IssueRow } from '../schema/work/issues.ts';

/** A tracker may show a cycle for a moment, which ends here. */
const MAX_LEVELS = 20;

/**
 * The query for the ids of all issues of the tree that an issue belongs to, as `id` and `depth`, the
 * levels below the topmost one. An issue without parent and sub-issues is a tree of its own.
 */
export function treeIds({ tracker, id }: Pick<IssueRow, 'tracker' | 'id'>): SQL {
  return sql`
    with recursive above(id, height) as (
      select ${id}, 0
      union select part.parent ->> '$.id', height + 1 from above
        join issues part on part.tracker = ${tracker} and part.id = above.id
        where part.parent is not null and height < ${MAX_LEVELS}),
    below(id, depth) as (
      select * from (select id, 0 from above order by height desc limit 1)
      union select part.value ->> '$.id', depth + 1 from below
        join issues whole on whole.tracker = ${tracker} and whole.id = below.id,
        json_each(whole.sub_issues) part
        where depth < ${MAX_LEVELS})
    select id, min(depth) as depth from below group by id`;
}
