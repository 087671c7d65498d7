import { AppError } from '../../errors.ts';
import { builtInTemplates } from '../prompt/built-in-templates.ts';

const BUILT_IN_IDS = new Set(builtInTemplates({ prompt: '' }).map(({ id }) => id));

/** Throws a 409 if the id is that of a built-in template, which cannot be changed. */
export function refuseBuiltIn(id: string): void {
  if (!BUILT_IN_IDS.has(id)) return;
  throw new AppError(
    'conflict',
    `template ${id} is built in: create one of your own and use that instead`,
    { reason: 'built_in' },
  );
}
