import { asc, count, eq } from 'drizzle-orm';
import type { Database } from '../../db/database.ts';
import { issues } from '../../db/schema/work/issues.ts';
import { type TemplateRow, templates } from '../../db/schema/admin/templates.ts';

export async function templateById(db: Database, id: string): Promise<TemplateRow | null> {
  const rows = await db.select().from(templates).where(eq(templates.template_id, id)).limit(1);
  return rows[0] ?? null;
}

/** A page of stored templates by name, and how many there are. */
export async function templatePage(
  db: Database,
  page: { limit: number; offset: number },
): Promise<{ rows: TemplateRow[]; total: number }> {
  const [rows, counted] = await db.batch([
    db
      .select()
      .from(templates)
      .orderBy(asc(templates.name_key))
      .limit(page.limit)
      .offset(page.offset),
    db.select({ total: count() }).from(templates),
  ]);
  return { rows, total: counted[0]?.total ?? 0 };
}

/** Identifiers of some issues that use a template. */
export async function issuesWithTemplate(
  db: Database,
  id: string,
  limit: number,
): Promise<string[]> {
  const rows = await db
    .select({ identifier: issues.identifier })
    .from(issues)
    .where(eq(issues.template_id, id))
    .orderBy(asc(issues.identifier))
    .limit(limit);
  return rows.map(({ identifier }) => identifier);
}
