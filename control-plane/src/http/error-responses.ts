import { ErrorBody } from '@switchyard/shared/api/error';

const DESCRIPTIONS = {
  400: 'The request is malformed',
  401: 'A token is missing or wrong',
  403: 'Not allowed',
  404: 'Not found',
  409: 'Not possible in the present state',
  413: 'The body is too large',
  415: 'The body is not JSON',
  422: 'Not possible for this resource',
  429: 'Too many requests',
  500: 'Internal error',
  501: 'The agent engine does not support it',
  502: 'An upstream request failed',
  503: 'Not available now',
} as const;

type Status = keyof typeof DESCRIPTIONS;
type ErrorResponse = {
  description: string;
  content: { 'application/json': { schema: typeof ErrorBody } };
};

/** OpenAPI entries for the errors a route may answer; those of every route come by themselves. */
export function errorResponses<S extends Status = never>(
  ...statuses: S[]
): Record<S | 401 | 429 | 500, ErrorResponse> {
  const all = [...statuses, 401, 429, 500] as const;
  const entries = all.map((status) => [
    status,
    {
      description: DESCRIPTIONS[status],
      content: { 'application/json': { schema: ErrorBody } },
    },
  ]);
  return Object.fromEntries(entries) as Record<S | 401 | 429 | 500, ErrorResponse>;
}
