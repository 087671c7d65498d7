import { queryOptions } from '@tanstack/react-query';
import { answer, api, at, until } from '../../api/api.ts';
import { readQuery } from '../../api/read-query.ts';

/** The effective configuration without secrets. */
export const configQuery = readQuery(['config'], (end) => api.config.$get({}, end));

/** The overlay: changes made here on top of the base file and the environment. */
export const overlayQuery = readQuery(['config-overlay'], (end) =>
  api.config.overlay.$get({}, end),
);

/** The schema changes only with the version of the service. */
export const configSchemaQuery = queryOptions({
  queryKey: ['config-schema'],
  queryFn: ({ signal }) => answer(api.config.schema.$get({}, until(signal))),
  staleTime: Number.POSITIVE_INFINITY,
});

export const replaceOverlay = (json: Record<string, unknown>) =>
  answer(api.config.overlay.$put({ json }));

export const setOverlayPath = (path: string, value: unknown) =>
  answer(api.config.overlay[':path'].$patch({ param: { path: at(path) }, json: { value } }));

export const removeOverlayPath = (path: string) =>
  answer(api.config.overlay[':path'].$delete({ param: { path: at(path) } }));
