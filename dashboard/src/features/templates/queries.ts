import { withId, answer, api, until } from '../../api/api.ts';

/** A built-in template under whose name an unsaved draft can be rendered. */
const DRAFT_ID = 'default';

/**
 * The draft, rendered with the documented examples of its variables. Throws where rendering fails.
 */
export const previewDraft = (body: string, signal: AbortSignal) =>
  answer(
    api.templates[':id'].preview.$post({ param: { id: DRAFT_ID }, json: { body } }, until(signal)),
  );

export const createTemplate = (json: { name: string; body: string }) =>
  answer(api.templates.$post({ json }));

export const updateTemplate = (id: string, json: { name: string; body: string }) =>
  answer(api.templates[':id'].$put({ ...withId(id), json }));

export const deleteTemplate = (id: string) => answer(api.templates[':id'].$delete(withId(id)));
