import type { Template } from '@switchyard/shared/api/admin/template';
import type { TemplateRow } from '../../db/schema/admin/templates.ts';

/** A stored template as the API shows it. */
export function templateRecord(row: TemplateRow): Template {
  return {
    id: row.template_id,
    name: row.name,
    body: row.body,
    builtIn: false,
    createdAt: new Date(row.created_at_ms).toISOString(),
    updatedAt: new Date(row.updated_at_ms).toISOString(),
  };
}
