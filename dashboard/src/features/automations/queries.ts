import { answer, api, at } from '../../api/api.ts';
import { readQuery, pagedQuery } from '../../api/read-query.ts';

export const automationsQuery = readQuery(['automations'], (end) => api.automations.$get({}, end));

export const automationRunsQuery = (name: string) =>
  pagedQuery(['automation-runs', name], (cursor, end) => {
    const query = { ...cursor, ...(name === '' ? {} : { automation_name: name }) };
    return answer(api.automations.runs.$get({ query }, end));
  });

export const runAutomation = (name: string) =>
  answer(
    api.automations[':name'].run.$post(
      { param: { name: at(name) } },
      { init: { keepalive: true } },
    ),
  );
