import { answer, api } from '../../api/api.ts';
import { pagedQuery } from '../../api/read-query.ts';

export const alertHistoryQuery = (ruleName: string) =>
  pagedQuery(['alerts', ruleName], (cursor, end) => {
    const query = { ...cursor, ...(ruleName === '' ? {} : { rule_name: ruleName }) };
    return answer(api.alerts.history.$get({ query }, end));
  });
