import { IssueDetail, MAX_EXCERPT_CHARS } from '@switchyard/shared/api/work/issue';
import { IssueList } from '@switchyard/shared/api/work/issue-list';
import { State } from '@switchyard/shared/api/work/state';
import { toJson } from '@switchyard/shared/text/well-formed-json';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { issues } from '../../control-plane/src/db/schema/work/issues.ts';
import { localIssues } from '../../control-plane/src/db/schema/work/local-issues.ts';
import { callCore } from '../support/core/call-core.ts';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';

const make = useCoreWorlds();
const COUNT = 200;
const DESCRIPTION = `Begins here 👩‍💻. ${'A line of a long report.\n'.repeat(820)}`;
/** What a list says of one issue beside its description takes about 1 KB. */
const MAX_ROW_BYTES = 2_500;

const Described = z.object({ description: z.string().nullable() });

/** As many blocked issues as a page has, each with a long description. */
async function withLongDescriptions() {
  const world = await make();
  const { db } = world.deps;
  const identifier = await world.createIssue({ description: DESCRIPTION });
  const row = await world.issue(identifier);
  const [written] = await db.select().from(localIssues);
  if (written === undefined) throw new Error('no issue');
  for (let number = 2; number <= COUNT; number += 1) {
    const named = { id: `id-${number}`, identifier: `SY-${number}` };
    await db.insert(issues).values({ ...row, ...named, status: 'blocked' });
    await db.insert(localIssues).values({ ...written, ...named, number });
  }
  return { world, identifier };
}

function expectExcerpts(rows: readonly unknown[]): void {
  expect(rows.length).toBeGreaterThanOrEqual(COUNT - 1);
  for (const row of rows) {
    const { description } = Described.parse(row);
    expect(description).toMatch(/^Begins here 👩‍💻\. A line[\s\S]*…$/);
    expect(description?.length).toBeLessThanOrEqual(MAX_EXCERPT_CHARS);
  }
}

describe('lists of issues with long descriptions', () => {
  it('carry the beginning of each, and the issue itself the whole', async () => {
    const { world, identifier } = await withLongDescriptions();
    const list = await callCore(world, 'GET', `/api/v1/issues?limit=${COUNT}`);
    const state = await callCore(world, 'GET', '/api/v1/state');
    expect(toJson(list.body).length).toBeLessThan(COUNT * MAX_ROW_BYTES);
    expectExcerpts(IssueList.parse(list.body).issues);
    expect(toJson(state.body).length).toBeLessThan(COUNT * MAX_ROW_BYTES);
    expectExcerpts(State.parse(state.body).blocked);
    const detail = await callCore(world, 'GET', `/api/v1/${identifier}`);
    expect(IssueDetail.parse(detail.body).description).toBe(DESCRIPTION);
  });

  it('of the built-in tracker carry the whole, unless the beginnings are asked for', async () => {
    const { world } = await withLongDescriptions();
    const path = `/api/v1/local/issues?limit=${COUNT}`;
    const Page = z.object({ issues: z.array(Described) });
    const whole = Page.parse((await callCore(world, 'GET', path)).body);
    expect(whole.issues.map(({ description }) => description)).toEqual(
      Array.from({ length: COUNT }, () => DESCRIPTION),
    );
    const { body } = await callCore(world, 'GET', `${path}&description=excerpt`);
    expect(toJson(body).length).toBeLessThan(COUNT * MAX_ROW_BYTES);
    expectExcerpts(Page.parse(body).issues);
  });
});
