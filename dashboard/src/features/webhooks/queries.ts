import { answer, api } from '../../api/api.ts';
import { readQuery, pagedQuery } from '../../api/read-query.ts';

export const webhookHealthQuery = readQuery(['webhook-health'], (end) =>
  api.webhooks.$get({}, end),
);

export const deadLettersQuery = pagedQuery(['dead-letters'], (query, end) =>
  answer(api.webhooks.dead.$get({ query }, end)),
);

export const deadLetterQuery = (id: number) =>
  readQuery(['dead-letters', id], (end) =>
    api.webhooks.dead[':number'].$get({ param: { number: String(id) } }, end),
  );

export const replayDeadLetter = (id: number) =>
  answer(api.webhooks.dead[':number'].replay.$post({ param: { number: String(id) } }));
