import type { Template } from '@switchyard/shared/api/admin/template';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { builtInTemplates } from '../prompt/built-in-templates.ts';
import { templateById } from '../prompt/queries.ts';
import { templateRecord } from '../prompt/template-record.ts';

/** A template by its id, built-in ones included. Throws a 404. */
export async function findTemplate(
  deps: Pick<Deps, 'db' | 'config'>,
  id: string,
): Promise<Template> {
  const builtIn = builtInTemplates(await deps.config.load()).find((one) => one.id === id);
  if (builtIn !== undefined) return builtIn;
  const row = await templateById(deps.db, id);
  if (row === null) throw new AppError('not_found', `template ${id} not found`);
  return templateRecord(row);
}
